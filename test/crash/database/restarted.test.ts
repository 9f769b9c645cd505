import { describe, test } from 'node:test'
import { runRestartRounds } from './restart-rounds.ts'

describe('a database that is stopped without warning and started again', () => {
  test('leaves a ledger that equals what the providers took, exact costs included', async (t) => {
    const seed = Date.now() % 2 ** 32
    t.diagnostic(`seed ${seed}`)
    const seen = await runRestartRounds({
      rounds: 1,
      seed,
      awayMs: [0, 3_000],
      isLimited: seed % 2 === 0,
    })
    t.diagnostic(JSON.stringify(seen))
  })
})
