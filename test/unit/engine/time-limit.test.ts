import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { TimeUp } from '#core/interruptions.ts'
import type { StopSignal } from '#core/stop.ts'
import { createTimeLimits } from '#engine/calls/time-limit.ts'

const patient = new AbortController().signal
const aborted = (signal: StopSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', resolve))

describe('the time limit of a call', () => {
  test('ends each call when its own time is up, the oldest first', async () => {
    const limits = createTimeLimits(5, systemClock)
    const ended: number[] = []
    const begin = (index: number) => {
      const signal = limits.open(patient)
      signal.addEventListener('abort', () => ended.push(index))
      return signal
    }
    const first = begin(0)
    await aborted(first)
    // Both have begun after the timer of the first was over, and at different times.
    begin(1)
    await new Promise(setImmediate)
    const last = begin(2)
    await aborted(last)
    assert.deepEqual(ended, [0, 1, 2])
    assert.ok(last.reason instanceof TimeUp)
  })

  test('ignores a call that has ended, even if others began with it', async () => {
    const limits = createTimeLimits(5, systemClock)
    const over = limits.open(patient)
    const other = limits.open(patient)
    limits.close(over)
    await aborted(other)
    assert.equal(over.aborted, false)
  })

  test('holds for a call that begins when none is under way', async () => {
    const limits = createTimeLimits(5, systemClock)
    limits.close(limits.open(patient))
    await aborted(limits.open(patient))
  })

  test('passes on why the caller left, and only to that call', () => {
    const limits = createTimeLimits(60_000, systemClock)
    const caller = new AbortController()
    const left = limits.open(caller.signal)
    const other = limits.open(patient)
    caller.abort('gone')
    assert.equal(left.reason, 'gone')
    assert.equal(other.aborted, false)
    for (const limit of [left, other]) limits.close(limit)
  })

  test('ignores the caller once the call has ended', () => {
    const limits = createTimeLimits(60_000, systemClock)
    const caller = new AbortController()
    const over = limits.open(caller.signal)
    limits.close(over)
    caller.abort('gone')
    assert.equal(over.aborted, false)
  })
})
