import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { after, delay, toRfc3339 } from '#core/clock.ts'

test('a time is formatted as the platform formats it, whatever was formatted before', () => {
  const anyTime = fc.integer({ min: 0, max: 253_402_300_799_999 })
  const nearby = fc.integer({ min: -1_500, max: 1_500 })
  fc.assert(
    fc.property(anyTime, fc.array(nearby), (ms, steps) => {
      for (const time of [ms, ...steps.map((step) => Math.max(0, ms + step))]) {
        assert.equal(toRfc3339(time), new Date(time).toISOString())
      }
    }),
  )
})

const timerMs = 2 ** 31 - 1
const longMs = 2 * timerMs + 10

test('a delay beyond the range of a timer does not end at once', async () => {
  let ended = 0
  const callOff = after(longMs, () => ended++)
  const waiting = new AbortController()
  const delayed = delay(longMs, waiting.signal).then(
    () => ended++,
    () => undefined,
  )
  await setTimeout(20)
  assert.equal(ended, 0)
  callOff()
  waiting.abort()
  await delayed
})

test('a long delay ends when it is over, and not if it was cancelled', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const ended: string[] = []
  after(longMs, () => ended.push('long'))
  after(5, () => ended.push('short'))
  const callOff = after(longMs, () => ended.push('called off'))
  t.mock.timers.tick(timerMs)
  callOff()
  t.mock.timers.tick(timerMs)
  t.mock.timers.tick(9)
  assert.deepEqual(ended, ['short'])
  t.mock.timers.tick(1)
  assert.deepEqual(ended, ['short', 'long'])
})
