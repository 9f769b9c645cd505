import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sequencedUuid, uuidPattern, uuidV7 } from '#core/ids.ts'

const form = new RegExp(uuidPattern)
const times = fc.integer({ min: 0, max: 2 ** 47 })

test('identifiers are version 7 UUIDs', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 2 ** 32 - 1 }), (ms, sequence) => {
      for (const id of [uuidV7(ms), sequencedUuid(ms, sequence)]) {
        assert.match(id, form)
        assert.equal(id[14], '7')
        assert.match(id[19] ?? '', /[89ab]/)
      }
    }),
  )
})

test('numbered identifiers sort by time, then by number', () => {
  fc.assert(
    fc.property(times, times, fc.integer({ min: 1, max: 2 ** 32 - 2 }), (a, b, sequence) => {
      const next = sequencedUuid(a, sequence + 1)
      assert.ok(sequencedUuid(a, sequence) < next)
      if (a !== b) assert.equal(a < b, sequencedUuid(a, sequence) < sequencedUuid(b, 1))
    }),
  )
})
