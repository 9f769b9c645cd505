import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sequencedUuid, timeOfUuid, uuidAfter, uuidPattern, uuidV7 } from '#core/ids.ts'

test('identifiers that follow each other sort in that order, whatever the clock does', () => {
  const startMs = Date.UTC(2026, 0, 1)
  const times = [0, 0, 0, 5, 4, -3_600_000, 5, 6, 6]
  const ids = [uuidV7(startMs)]
  for (const ms of times) ids.push(uuidAfter(ids.at(-1) ?? null, startMs + ms))
  assert.deepEqual(ids, [...ids].sort())
  assert.ok(ids.every((id) => new RegExp(uuidPattern).test(id) && id[14] === '7'))
  assert.equal(timeOfUuid(uuidAfter(null, startMs)), startMs)
  assert.equal(timeOfUuid(ids.at(-1) ?? ''), startMs + 6)
})

test('one that follows the last of its millisecond belongs to the next', () => {
  const last = sequencedUuid(1_000, 2 ** 32 - 1)
  const next = uuidAfter(last, 1_000)
  assert.ok(next > last)
  assert.equal(timeOfUuid(next), 1_001)
})
