import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { abortSignalOf, Stop } from '#core/stop.ts'

describe('a stop', () => {
  test('notifies each listener once, and keeps its first reason', () => {
    const stop = new Stop()
    const told: unknown[] = []
    stop.addEventListener('abort', () => told.push(['a', stop.reason]))
    stop.addEventListener('abort', () => told.push(['b', stop.reason]))
    stop.abort('first')
    stop.abort('second')
    assert.deepEqual([stop.aborted, stop.reason], [true, 'first'])
    assert.deepEqual(told, [
      ['a', 'first'],
      ['b', 'first'],
    ])
  })

  test('does not notify a removed listener, even if another is removed meanwhile', () => {
    const stop = new Stop()
    const told: string[] = []
    const removed = () => told.push('removed')
    const leaving = () => stop.removeEventListener('abort', leaving)
    stop.addEventListener('abort', leaving)
    stop.addEventListener('abort', removed)
    stop.addEventListener('abort', () => told.push('kept'))
    stop.removeEventListener('abort', removed)
    stop.abort('why')
    assert.deepEqual(told, ['kept'])
  })

  test('becomes an AbortSignal that aborts with it, now or later', () => {
    const stop = new Stop()
    const early = abortSignalOf(stop)
    assert.equal(early.aborted, false)
    stop.abort('why')
    assert.equal(early.reason, 'why')
    assert.equal(abortSignalOf(stop).reason, 'why')
  })

  test('that is an AbortSignal stays itself', () => {
    const { signal } = new AbortController()
    assert.equal(abortSignalOf(signal), signal)
  })
})
