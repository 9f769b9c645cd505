import { describe, test } from 'node:test'
import { runKillRounds } from './kill-rounds.ts'

describe('processes killed at random moments under load', () => {
  for (const database of ['sqlite', 'postgres'] as const) {
    test(`lose no run, tell every end and repeat no paid call on ${database}`, async (t) => {
      const seed = Date.now() % 2 ** 32
      t.diagnostic(`seed ${seed}`)
      const seen = await runKillRounds({ database, rounds: 1, seed })
      t.diagnostic(JSON.stringify(seen))
    })
  }
})
