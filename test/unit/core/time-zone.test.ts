import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  dateOf,
  dayIndexAt,
  dayIndexOf,
  dayMs,
  offsetSpans,
  openTimeZone,
  startOfDay,
} from '#core/time-zone.ts'
import { rounds } from '../../support/rounds.ts'

const zones = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Cairo',
  'America/Havana',
  'Etc/GMT+12',
].map((name) => {
  const zone = openTimeZone(name)
  assert.ok(zone, name)
  return zone
})
const zone = fc.constantFrom(...zones)
// From 2012 on: before, some places changed their clocks a minute after midnight.
const someDay = fc.integer({ min: dayIndexOf('2012-01-01'), max: dayIndexOf('2040-01-01') })

const localDate = (zoneName: string, atMs: number) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zoneName, dateStyle: 'short' }).format(atMs)

for (const name of [
  '',
  'Mars/Phobos',
  '+05:30',
  'UTC ',
  'a/b/c/d',
  '../etc',
  'Europe/Berlin\0',
  'x'.repeat(99),
]) {
  test(`${JSON.stringify(name)} is not a time zone`, () => {
    assert.equal(openTimeZone(name), null)
  })
}

test('a day begins where the calendar turns, as an independent calendar says', () => {
  fc.assert(
    fc.property(zone, someDay, (where, day) => {
      const startMs = startOfDay(where, day)
      const date = dateOf(day)
      // A zone may leave a day out: Samoa had no 2011-12-30.
      assert.equal(localDate(where.name, startMs), date)
      assert.ok(localDate(where.name, startMs - 1) < date)
      assert.equal(dayIndexAt(where, startMs), day)
    }),
    { numRuns: rounds(300) },
  )
})

test('spans of constant offset cover the time without gaps and say what clocks show', () => {
  fc.assert(
    fc.property(zone, someDay, fc.integer({ min: 1, max: 400 }), (where, day, days) => {
      const [fromMs, toMs] = [day * dayMs, (day + days) * dayMs]
      const spans = offsetSpans(where, fromMs, toMs)
      assert.equal(spans[0]?.fromMs, fromMs)
      assert.equal(spans.at(-1)?.toMs, toMs)
      for (const [index, span] of spans.entries()) {
        if (index > 0) assert.equal(spans[index - 1]?.toMs, span.fromMs)
        assert.equal(where.offsetMs(span.fromMs), span.offsetMs)
        assert.equal(where.offsetMs(span.toMs - 1), span.offsetMs)
      }
    }),
    { numRuns: rounds(100) },
  )
})

test('the days on which clocks change have 23 and 25 hours', () => {
  const berlin = openTimeZone('Europe/Berlin')
  assert.ok(berlin)
  const hours = (date: string) => {
    const day = dayIndexOf(date)
    return (startOfDay(berlin, day + 1) - startOfDay(berlin, day)) / 3_600_000
  }
  assert.deepEqual(['2026-03-29', '2026-10-25', '2026-06-01'].map(hours), [23, 25, 24])
})
