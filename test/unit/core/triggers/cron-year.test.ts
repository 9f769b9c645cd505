// A simulated year against an independent library: cron-parser, which reads the fields and
// knows the zones by itself. `npm test` compares the days around both changes of the clocks,
// `npm run test:soak -- properties` every minute of the year.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CronDate, CronExpressionParser } from 'cron-parser'
import { openTimeZone, type TimeZone } from '#core/time-zone.ts'
import { type CronRule, cronInstants, readCron } from '#core/triggers/cron.ts'
import { rounds } from '../../../support/rounds.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

type Span = { afterMs: number; untilMs: number }
const wholeYear: Span = { afterMs: Date.UTC(2026, 0, 1) - 1, untilMs: Date.UTC(2027, 0, 1) }
const around = (month: number, day: number): Span => ({
  afterMs: Date.UTC(2026, month - 1, day - 1, 6) - 1,
  untilMs: Date.UTC(2026, month - 1, day + 1, 18),
})

const zones: Record<string, Span[]> = {
  'Europe/Berlin': [around(3, 29), around(10, 25)],
  'America/New_York': [around(3, 8), around(11, 1)],
  'Australia/Lord_Howe': [around(4, 4), around(10, 3)],
  'America/Santiago': [around(4, 5), around(9, 6)],
  'Asia/Beirut': [around(3, 29), around(10, 24)],
}
const spansOf = (zone: string) => (rounds(5) === 5 ? [wholeYear] : (zones[zone] ?? []))

const byTheHour = ['*/7 * * * *', '30 */2 * * *', '15,45 0-12/3 * * 1-5', '0 * 1,15 * 0']
const byTheClock = [
  ...['30 2 * * *', '*/20 0-3 * * *', '0 0 * * *', '15 1,2,3,23 * * 6,0'],
  ...['59 23 28-31 * *', '0 0-23 * * SUN', '5 3 29 FEB-OCT *'],
]

describe('a simulated year equals that of an independent library', () => {
  for (const zone of Object.keys(zones)) {
    test(`in ${zone}, where real time counts`, () => {
      const crons = byTheHour
      for (const span of spansOf(zone)) {
        const expected = matchingMinutes(crons, zone, span)
        for (const cron of crons) assert.deepEqual(ours(cron, zone, span), expected.get(cron), cron)
      }
    })

    test(`in ${zone}, where local time counts`, () => {
      for (const span of spansOf(zone)) {
        for (const cron of byTheClock) {
          assert.deepEqual(ours(cron, zone, span), onceEach(cron, zone, span), cron)
        }
      }
    })
  }
})

function ours(cron: string, zone: string, span: Span): number[] {
  const rule = readCron(cron)
  assert.ok(typeof rule !== 'string', String(rule))
  return [...cronInstants(rule as CronRule, openTimeZone(zone) as TimeZone, span)]
}

/** Every minute of the span whose local time matches the fields. */
function matchingMinutes(crons: string[], zone: string, { afterMs, untilMs }: Span) {
  const found = new Map<string, number[]>(crons.map((cron) => [cron, []]))
  const rules = crons.map((cron) => ({ cron, fields: CronExpressionParser.parse(cron).fields }))
  const has = (field: { values: readonly unknown[] }, value: number) => field.values.includes(value)
  for (let ms = Math.ceil(afterMs / minuteMs) * minuteMs; ms <= untilMs; ms += minuteMs) {
    const local = new CronDate(new Date(ms), zone)
    for (const { cron, fields } of rules) {
      const isEither = !fields.dayOfMonth.isWildcard && !fields.dayOfWeek.isWildcard
      const [isDay, isWeekday] = [
        has(fields.dayOfMonth, local.getDate()),
        has(fields.dayOfWeek, local.getDay()),
      ]
      const isDate = isEither ? isDay || isWeekday : isDay && isWeekday
      if (!isDate || !has(fields.month, local.getMonth() + 1)) continue
      if (!has(fields.hour, local.getHours())) continue
      if (has(fields.minute, local.getMinutes())) found.get(cron)?.push(ms)
    }
  }
  return found
}

/** Each local time of the library's calendar once: the first of two, or the end of its gap. */
function onceEach(cron: string, zone: string, { afterMs, untilMs }: Span): number[] {
  const currentDate = new Date(afterMs - 2 * dayMs)
  const calendar = CronExpressionParser.parse(cron, { tz: 'UTC', currentDate })
  const found = new Set<number>()
  for (;;) {
    const wanted = calendar.next().getTime()
    if (wanted > untilMs + 2 * dayMs) break
    found.add(firstInstant(wanted, zone))
  }
  return [...found].filter((ms) => ms > afterMs && ms <= untilMs).sort((a, b) => a - b)
}

/** The first minute at which the clocks of the zone show this local time or a later one. */
function firstInstant(wanted: number, zone: string): number {
  const isMet = (ms: number) => shown(ms, zone) >= wanted
  // Local time is ahead of UTC by 14 hours at most.
  let ms = wanted - 14 * hourMs
  for (const stepMs of [hourMs, 10 * minuteMs, minuteMs]) {
    while (!isMet(ms)) ms += stepMs
    if (stepMs > minuteMs) ms -= stepMs
  }
  return ms
}

/** What the clocks of the zone show, as if it were UTC. */
function shown(ms: number, zone: string): number {
  const local = new CronDate(new Date(ms), zone)
  return Date.UTC(
    ...([local.getFullYear(), local.getMonth(), local.getDate()] as const),
    ...([local.getHours(), local.getMinutes()] as const),
  )
}
