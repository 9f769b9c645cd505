import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSleeperLimit } from '#engine/runs/sleeper-limit.ts'

test('with too many sleeping runs an account gets no more; the count is ten seconds old at most', async () => {
  let [asleep, counted, nowMs] = [1, 0, 0]
  const waits = {
    async countAsleep() {
      counted++
      return asleep
    },
  }
  const assertMayWait = createSleeperLimit(waits, { nowMs: () => nowMs }, 2)
  await assertMayWait('a')
  asleep = 2
  nowMs = 9_999
  await assertMayWait('a')
  assert.equal(counted, 1)
  nowMs = 10_000
  await assert.rejects(assertMayWait('a'), { code: 'QUOTA_EXCEEDED' })
  asleep = 1
  nowMs = 20_000
  await assertMayWait('a')
})
