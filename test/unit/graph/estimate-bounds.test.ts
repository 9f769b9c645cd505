import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tallyOf } from './estimated-runs.ts'

// The long version is `npm run test:soak -- estimates`.
test('random workflows cost between lowCost and highCost when answers keep to maxTokens', async () => {
  const { runs, within, neverRefused } = await tallyOf(20_261_117, 120)
  assert.ok(runs > 60, `${runs} runs`)
  assert.ok(within / runs >= 0.95, `${within} of ${runs} within`)
  assert.equal(neverRefused, runs, 'a maxCost of highCost refuses no call')
})
