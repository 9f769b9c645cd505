import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTimeZone, type TimeZone } from '#core/time-zone.ts'
import { type CronRule, readCron } from '#core/triggers/cron.ts'
import { type DueTrigger, nextFirings, whatIsDue } from '#core/triggers/due.ts'
import { atOnce, byCron, everyMs, jitterOf, type Timetable } from '#core/triggers/timetable.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const startMs = Date.UTC(2026, 0, 1)

const due = (timetable: Timetable, change: Partial<DueTrigger> = {}): DueTrigger => ({
  id: 'trigger',
  timetable,
  nextMs: startMs,
  jitterMs: 0,
  catchUp: 'last',
  ...change,
})
const everyMinute = everyMs(minuteMs, startMs, null)
const cron = (text: string, zone = 'UTC') =>
  byCron(readCron(text) as CronRule, openTimeZone(zone) as TimeZone, null)

describe('what is due', () => {
  test('an occurrence that is up to a minute late is on time, whatever catchUp says', () => {
    const decided = whatIsDue(due(everyMinute, { catchUp: 'none' }), startMs + minuteMs)
    assert.deepEqual(decided, {
      fire: [startMs, startMs + minuteMs],
      missed: null,
      nextMs: startMs + 2 * minuteMs,
    })
  })

  test('later ones are left out, made up for by the last, or by the newest hundred', () => {
    const nowMs = startMs + 365 * dayMs
    const total = 365 * 24 * 60 + 1
    const onTime = [nowMs - minuteMs, nowMs]
    const none = whatIsDue(due(everyMinute, { catchUp: 'none' }), nowMs)
    assert.deepEqual(none.fire, onTime)
    assert.deepEqual(none.missed, { firstMs: startMs, count: total - 2 })
    const last = whatIsDue(due(everyMinute, { catchUp: 'last' }), nowMs)
    assert.deepEqual(last.fire, [nowMs - 2 * minuteMs, ...onTime])
    assert.equal(last.missed?.count, total - 3)
    const all = whatIsDue(due(everyMinute, { catchUp: 'all' }), nowMs)
    assert.equal(all.fire.length, 102)
    assert.deepEqual(all.fire, [...all.fire].sort())
    assert.equal(all.missed?.count, total - 102)
    assert.equal(all.nextMs, nowMs + minuteMs)
  })

  test('a year of downtime comes out the same from a cron expression', () => {
    const nowMs = startMs + 365 * dayMs
    for (const catchUp of ['none', 'last', 'all'] as const) {
      assert.deepEqual(
        whatIsDue(due(cron('* * * * *'), { catchUp }), nowMs),
        whatIsDue(due(everyMinute, { catchUp }), nowMs),
      )
    }
  })

  test('nothing is due before its time, so a clock that was set back only delays', () => {
    assert.deepEqual(whatIsDue(due(everyMinute), startMs - dayMs), {
      fire: [],
      missed: null,
      nextMs: startMs,
    })
  })

  test('deciding in many rounds fires the same occurrences as deciding in one', () => {
    const trigger = due(everyMinute, { jitterMs: 50_000 })
    const fired: number[] = []
    let nextMs: number | null = startMs
    for (let nowMs = startMs; nowMs < startMs + 30 * minuteMs; nowMs += 7_000) {
      const decided: ReturnType<typeof whatIsDue> = whatIsDue(
        { ...trigger, nextMs: nextMs ?? Number.NaN },
        nowMs,
      )
      for (const atMs of decided.fire) assert.ok(atMs + jitterOf('trigger', atMs, 50_000) <= nowMs)
      fired.push(...decided.fire)
      nextMs = decided.nextMs
    }
    const expected = Array.from({ length: fired.length }, (_, i) => startMs + i * minuteMs)
    assert.deepEqual(fired, expected)
    assert.ok(fired.length >= 29)
  })

  test('a delay longer than the time between two occurrences loses none of them', () => {
    const jitterMs = 60 * minuteMs
    for (const catchUp of ['none', 'last', 'all'] as const) {
      const trigger = due(cron('*/5 * * * *'), { jitterMs, catchUp })
      const fired: number[] = []
      let nextMs: number = startMs
      for (let nowMs = startMs; nowMs < startMs + 6 * 60 * minuteMs; nowMs += 1_000) {
        const decided = whatIsDue({ ...trigger, nextMs }, nowMs)
        assert.equal(decided.missed, null)
        for (const atMs of decided.fire)
          assert.ok(atMs + jitterOf('trigger', atMs, jitterMs) <= nowMs)
        fired.push(...decided.fire)
        nextMs = decided.nextMs ?? Number.NaN
      }
      assert.deepEqual(
        fired,
        fired.map((_, i) => startMs + i * 5 * minuteMs),
      )
      assert.ok(fired.length >= 60)
    }
  })

  test('one time fires once, and has nothing after it', () => {
    assert.deepEqual(whatIsDue(due(atOnce(startMs)), startMs + dayMs), {
      fire: [startMs],
      missed: null,
      nextMs: null,
    })
  })

  test('the end is the last possible occurrence', () => {
    const table = everyMs(minuteMs, startMs, startMs + minuteMs)
    const decided = whatIsDue(due(table, { catchUp: 'all' }), startMs + dayMs)
    assert.deepEqual(decided.fire, [startMs, startMs + minuteMs])
    assert.equal(decided.nextMs, null)
  })
})

describe('a timetable', () => {
  test('jitter delays an occurrence by up to its length, always by the same time', () => {
    const of = (atMs: number) => jitterOf('trigger', atMs, 30_000)
    const delays = Array.from({ length: 200 }, (_, i) => of(startMs + i * minuteMs))
    assert.deepEqual(
      delays,
      delays.map((_, i) => of(startMs + i * minuteMs)),
    )
    assert.ok(delays.every((ms) => ms >= 0 && ms <= 30_000))
    assert.ok(new Set(delays).size > 150)
    assert.notEqual(of(startMs), jitterOf('another', startMs, 30_000))
  })

  test('shows the next times in the order in which they come', () => {
    const trigger = { id: 'trigger', timetable: cron('*/5 * * * *'), jitterMs: 60 * minuteMs }
    const shown = nextFirings(trigger, startMs, 20)
    assert.deepEqual(
      shown,
      shown.toSorted((a, b) => a - b),
    )
  })

  test('shows the days on which the clocks change as they will be', () => {
    const from = Date.UTC(2026, 2, 27, 12)
    const of = (table: Timetable) =>
      nextFirings({ id: 't', timetable: table, jitterMs: 0 }, from, 3).map((ms) =>
        new Date(ms).toISOString(),
      )
    assert.deepEqual(of(cron('30 2 * * *', 'Europe/Berlin')), [
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ])
  })

  test('an impossible date has no occurrence, and one every four years has', () => {
    assert.equal(cron('0 0 31 2 *').next(startMs), null)
    assert.equal(cron('0 0 29 2 *').next(startMs), Date.UTC(2028, 1, 29))
  })
})

describe('a cron expression', () => {
  for (const text of [
    ...['', '* * * *', '* * * * * *', '60 * * * *', '* 24 * * *', '* * 0 * *', '* * * 13 *'],
    ...[
      '* * * * 8',
      '@daily',
      '0 0 L * *',
      '0 0 1W * *',
      '0 0 * * 5#2',
      '0 0 ? * *',
      '5/10 * * * *',
    ],
    ...['5-1 * * * *', '*/0 * * * *', 'a * * * *', '* * * * * UTC', '1,,2 * * * *', '-1 * * * *'],
    '0 0 * * +5',
  ]) {
    test(`"${text}" is refused with a sentence`, () => {
      assert.match(String(readCron(text)), /^(must|has|cannot)/)
    })
  }

  test('Sunday is 0 and 7, and names are read in any case', () => {
    const [zero, seven, name] = ['0 9 * * 0', '0 9 * * 7', '0 9 * * sUn'].map((text) =>
      cron(text).next(startMs),
    )
    assert.equal(zero, Date.UTC(2026, 0, 4, 9))
    assert.deepEqual([seven, name], [zero, zero])
  })
})
