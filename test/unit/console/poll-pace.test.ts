import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextPollMs, type PollState } from '#console/api/poll-pace.ts'

const state = (changes: Partial<PollState>): PollState => ({
  retryAfterSeconds: 5,
  watchedMs: 0,
  failures: 0,
  failureRetryAfterSeconds: null,
  isWatched: false,
  ...changes,
})

test('a list is read again when its answer advises', () => {
  assert.equal(nextPollMs(state({ retryAfterSeconds: 15 })), 15_000)
})

test('what is watched is read at 500 ms, then each second, then as advised', () => {
  const at = (watchedMs: number) => nextPollMs(state({ isWatched: true, watchedMs }))
  assert.deepEqual([at(0), at(9_999), at(10_000), at(30_000)], [500, 500, 1_000, 5_000])
})

test('what has ended is not read again', () => {
  assert.equal(nextPollMs(state({ retryAfterSeconds: 0, isWatched: true })), false)
})

test('failures double the pace up to a minute, and the advice of a refusal is kept', () => {
  const after = (failures: number) => nextPollMs(state({ failures, isWatched: true }))
  assert.deepEqual([after(1), after(2), after(3), after(20)], [2_000, 4_000, 8_000, 60_000])
  assert.equal(nextPollMs(state({ failures: 1, failureRetryAfterSeconds: 30 })), 30_000)
})

test('something that ended is asked for again after a failure', () => {
  assert.equal(nextPollMs(state({ failures: 1, retryAfterSeconds: 0 })), 2_000)
})
