import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SpendBound } from '#core/budgets.ts'
import { judgeInOrder } from '#core/spend-admission.ts'

const bound = (id: string, limitMicros: number): SpendBound => ({
  ...{ id, limitMicros, scope: 'key', target: id, period: 'month' },
})
const one = bound('one', 100)
const other = bound('other', 100)

type Asked = [neededMicros: number | null, ...bounds: SpendBound[]]
const judged = (asked: Asked[], spentMicros: number, heldMicros: number) =>
  judgeInOrder(
    asked.map(([neededMicros, ...bounds]) => ({ neededMicros, bounds })),
    new Map([one, other].map(({ id }) => [id, { spentMicros, heldMicros }])),
  ).map((verdict) => verdict.is)

test('a limit is used to its last millionth, and not beyond', () => {
  assert.deepEqual(judged([[50, one]], 30, 20), ['fits'])
  assert.deepEqual(judged([[51, one]], 30, 20), ['waits'])
  assert.deepEqual(judged([[70, one]], 30, 20), ['waits'])
  assert.deepEqual(judged([[71, one]], 30, 20), ['refused'])
})

test('a small call does not overtake a large one that waits for the same limit', () => {
  const asked: Asked[] = [
    [90, one],
    [1, one],
    [1, other],
    [1, one, other],
  ]
  assert.deepEqual(judged(asked, 0, 20), ['waits', 'waits', 'fits', 'waits'])
})

test('calls that are judged together share what is left', () => {
  const asked: Asked[] = [
    [40, one],
    [40, one],
    [40, one],
    [60, other],
  ]
  assert.deepEqual(judged(asked, 20, 0), ['fits', 'fits', 'waits', 'fits'])
})

test('a call without a known price passes until the limit is reached', () => {
  assert.deepEqual(judged([[null, one]], 99, 0), ['fits'])
  assert.deepEqual(judged([[null, one]], 99, 1), ['waits'])
  assert.deepEqual(judged([[null, one]], 100, 0), ['refused'])
})
