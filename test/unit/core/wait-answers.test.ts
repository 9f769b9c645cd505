import assert from 'node:assert/strict'
import { test } from 'node:test'
import { latenessOf } from '#core/wait-answers.ts'

const at = (nowMs: number, goesOn = true) =>
  latenessOf({ status: 'OPEN', expires_at: 1_000 }, { goesOn, nowMs })

test('a wait takes an answer until the millisecond at which it expires, and not at it', () => {
  assert.deepEqual([at(999), at(1_000), at(1_001)], [null, 'WAIT_EXPIRED', 'WAIT_EXPIRED'])
})

test('a run that does not go on takes none, whatever the time', () => {
  assert.deepEqual([at(999, false), at(1_000, false)], ['WAIT_CANCELLED', 'WAIT_CANCELLED'])
})
