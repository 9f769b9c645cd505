import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDeadline } from '../../../src/cli/arguments/deadline.ts'
import type { Args } from '../../../src/cli/command.ts'

const nowMs = Date.parse('2026-11-18T00:00:00Z')
const read = (deadline?: string, isEconomy = true) =>
  readDeadline({ text: () => deadline, flag: () => isEconomy } as unknown as Args, nowMs)

test('a deadline is a time, or how far away it is', () => {
  const lane = 'economy'
  assert.deepEqual(read('36h'), { lane, deadlineAt: '2026-11-19T12:00:00.000Z' })
  assert.deepEqual(read('2d'), { lane, deadlineAt: '2026-11-20T00:00:00.000Z' })
  assert.equal(read('2026-12-01T09:00:00Z').deadlineAt, '2026-12-01T09:00:00.000Z')
  assert.deepEqual(read(undefined, false), {})
})

test('economy and its deadline go together', () => {
  assert.throws(() => read(undefined), /--economy needs --deadline/)
  assert.throws(() => read('36h', false), /--deadline needs --economy/)
  assert.throws(() => read('soon'), /use 36h/)
})
