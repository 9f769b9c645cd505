import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { TimeUp } from '#core/interruptions.ts'
import type { StopSignal } from '#core/stop.ts'
import { createTimeLimits, nextPiece } from '#engine/calls/time-limit.ts'
import { createHandClock } from '../../support/hand-clock.ts'

const soon = { timeoutMs: 5, totalMs: 1000 }
const later = { timeoutMs: 60_000, totalMs: 60_000 }
const patient = new AbortController().signal
const aborted = (signal: StopSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', resolve))

describe('the time limit of a call', () => {
  test('ends each call when its own time is up, the oldest first', async () => {
    const limits = createTimeLimits(soon, systemClock)
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
    const limits = createTimeLimits(soon, systemClock)
    const over = limits.open(patient)
    const other = limits.open(patient)
    limits.close(over)
    await aborted(other)
    assert.equal(over.aborted, false)
  })

  test('holds for a call that begins when none is under way', async () => {
    const limits = createTimeLimits(soon, systemClock)
    limits.close(limits.open(patient))
    await aborted(limits.open(patient))
  })

  test('passes on why the caller left, and only to that call', () => {
    const limits = createTimeLimits(later, systemClock)
    const caller = new AbortController()
    const left = limits.open(caller.signal)
    const other = limits.open(patient)
    caller.abort('gone')
    assert.equal(left.reason, 'gone')
    assert.equal(other.aborted, false)
    for (const limit of [left, other]) limits.close(limit)
  })

  test('ignores the caller once the call has ended', () => {
    const limits = createTimeLimits(later, systemClock)
    const caller = new AbortController()
    const over = limits.open(caller.signal)
    limits.close(over)
    caller.abort('gone')
    assert.equal(over.aborted, false)
  })

  test('never exceeds the total, whether the answer comes whole or in pieces', async () => {
    const { clock, pass } = createHandClock()
    const limits = createTimeLimits({ timeoutMs: 120, totalMs: 50 }, clock)
    const limit = limits.open(patient)
    await pass(49)
    assert.equal(limit.aborted, false)
    await pass(1)
    assert.equal(limit.aborted, true)
  })

  test('counts no time in which a stream waits for its reader', async () => {
    const { clock, pass } = createHandClock()
    const limits = createTimeLimits({ timeoutMs: 120, totalMs: 1000 }, clock)
    const limit = limits.open(patient)
    const { pieces, give } = openPieces()
    give()
    await nextPiece(pieces, limit, clock)
    await pass(400)
    const awaited = nextPiece(pieces, limit, clock)
    await pass(119)
    assert.equal(limit.aborted, false)
    give()
    await awaited
    void nextPiece(pieces, limit, clock)
    await pass(120)
    assert.equal(limit.aborted, true)
  })

  test('sets no timer per piece, and leaves none behind', async () => {
    const { clock, pass, set } = createHandClock()
    const limits = createTimeLimits({ timeoutMs: 120, totalMs: 10_000 }, clock)
    const { pieces, give } = openPieces()
    const streams = [limits.open(patient), limits.open(patient)]
    for (let piece = 0; piece < 50; piece++) {
      const awaited = streams.map((limit) => nextPiece(pieces, limit, clock))
      for (const _ of streams) give()
      await Promise.all(awaited)
      await pass(10)
      assert.ok(set() <= streams.length)
    }
    assert.deepEqual(
      streams.map(({ aborted }) => aborted),
      [false, false],
    )
    for (const limit of streams) limits.close(limit)
    assert.equal(set(), 0)
  })
})

/** Pieces that come when `give` is called. */
function openPieces() {
  const waiting: (() => void)[] = []
  let ready = 0
  const pieces: AsyncIterator<null, void, undefined> = {
    async next() {
      if (ready > 0) ready--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      return { done: false, value: null }
    },
  }
  const give = () => {
    const next = waiting.shift()
    if (next) next()
    else ready++
  }
  return { pieces, give }
}
