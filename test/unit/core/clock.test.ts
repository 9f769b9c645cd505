import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toRfc3339 } from '#core/clock.ts'

test('a time is written as the platform writes it, whatever was asked before', () => {
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
