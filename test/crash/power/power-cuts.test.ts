import { test } from 'node:test'
import { runPowerCuts } from './power-cuts.ts'

test('a power cut loses nothing that was acknowledged', async (t) => {
  const seed = Date.now() % 2 ** 31
  t.diagnostic(`seed ${seed}`)
  t.diagnostic(JSON.stringify(await runPowerCuts({ cuts: 3, seed })))
})
