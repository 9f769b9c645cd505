import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRetryAfterMs } from '#core/retry-after.ts'

const date = 'Tue, 17 Nov 2026 08:00:00 GMT'
const later = 'Tue, 17 Nov 2026 08:00:30 GMT'
const nowMs = Date.parse(date)
const read = (headers: Record<string, string>) => readRetryAfterMs(headers, nowMs)

test('a pause is read in seconds, milliseconds or as a date', () => {
  assert.equal(read({ 'retry-after': '20' }), 20_000)
  assert.equal(read({ 'retry-after': ' 1.5 ' }), 1_500)
  assert.equal(read({ 'retry-after-ms': '250', 'retry-after': '1' }), 250)
  assert.equal(read({ 'retry-after': later }), 30_000)
  assert.equal(read({ 'retry-after': date }), 0)
})

test('a date is read by the clock of its sender', () => {
  assert.equal(read({ 'retry-after': later, date: 'Tue, 17 Nov 2026 08:00:20 GMT' }), 10_000)
  assert.equal(read({ 'retry-after': later, date: 'soon' }), 30_000)
})

test('what is no pause is not taken for one', () => {
  for (const text of ['', '-5', 'soon', '1e3', 'Infinity', '2026-11-17', '9'.repeat(40)])
    assert.equal(read({ 'retry-after': text }), undefined, text)
  assert.equal(read({}), undefined)
})
