// Five-field cron expressions in a time zone. The library reads the fields and knows the calendar;
// it is asked in UTC, as if local time were. What local time means on days when the clocks change is
// decided here, because libraries disagree about it.
import { Cron } from 'croner'
import { createBoundedMap } from '../bounded-map.ts'
import { changeBetween, dayMs, type TimeZone } from '../time-zone.ts'

const minuteMs = 60_000

export type CronRule = {
  /** Minutes of a day at which it fires, in local time. */
  minutes: readonly number[]
  /**
   * With a wildcard or a step in the hour field, real time counts: what falls into a gap is left
   * out, and what falls into a repeated hour happens twice. Otherwise each local time happens once.
   */
  followsRealTime: boolean
  /** The first matching day that is not before this one; null if there is none. */
  dayFrom(localMs: number): number | null
}

const number = '\\d{1,2}'
const itemsOf = (word: string) => {
  const value = `(?:${word})`
  const item = `(?:\\*(?:/${number})?|${value}(?:-${value}(?:/${number})?)?)`
  return new RegExp(`^${item}(?:,${item})*$`, 'i')
}
const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'
const fields = [
  itemsOf(number),
  itemsOf(number),
  itemsOf(number),
  itemsOf(`${number}|${months}`),
  itemsOf(`${number}|sun|mon|tue|wed|thu|fri|sat`),
]
const fieldNames = ['minute', 'hour', 'day of the month', 'month', 'day of the week'] as const
const maxChars = 200

// Reading an expression costs some milliseconds, and the scheduler meets the same ones again.
const known = createBoundedMap<CronRule>({ maxEntries: 1_000 })

/** Returns a sentence that says what is wrong if it is not a cron expression. */
export function readCron(text: string): CronRule | string {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== 5 || text.length > maxChars) {
    return 'must have five fields: minute, hour, day of the month, month, day of the week'
  }
  const wrong = parts.findIndex((part, i) => !fields[i]?.test(part))
  if (wrong >= 0) return `has a ${fieldNames[wrong]} that cannot be read: "${parts[wrong]}"`
  const key = parts.join(' ')
  const rule = known.get(key)
  if (rule) return rule
  try {
    const made = ruleOf(parts as [string, string, string, string, string])
    known.set(key, made)
    return made
  } catch (error) {
    return `cannot be read: ${(error as Error).message.replace(/^CronPattern: /, '')}`
  }
}

const inUtc = (expression: string) =>
  new Cron(expression, { utcOffset: 0, mode: '5-part', paused: true })

function ruleOf([minute, hour, day, month, weekday]: [string, string, string, string, string]) {
  const hours = within(inUtc(`0 ${hour} * * *`), dayMs).map((ms) => ms / minuteMs)
  const minutes = within(inUtc(`${minute} * * * *`), 60 * minuteMs).map((ms) => ms / minuteMs)
  const days = inUtc(`0 0 ${day} ${month} ${weekday}`)
  return {
    minutes: hours.flatMap((start) => minutes.map((past) => start + past)),
    followsRealTime: /[*/]/.test(hour),
    dayFrom: (localMs: number) => days.nextRun(new Date(localMs - 1))?.getTime() ?? null,
  }
}

/** Of a day that every expression without days matches. */
function within(job: Cron, spanMs: number): number[] {
  const found: number[] = []
  for (let at = job.nextRun(new Date(-1)); at; at = job.nextRun(at)) {
    if (at.getTime() >= spanMs) break
    found.push(at.getTime())
  }
  return found
}

/** All instants after `afterMs` and until `untilMs`, in order, each once. */
export function* cronInstants(
  rule: CronRule,
  zone: TimeZone,
  { afterMs, untilMs }: { afterMs: number; untilMs: number },
): Generator<number, void, undefined> {
  const localMs = afterMs + zone.offsetMs(afterMs)
  // One day earlier, because a local time in a gap happens later than it says.
  let from = Math.floor(localMs / dayMs) * dayMs - dayMs
  let last = afterMs
  for (;;) {
    const day = rule.dayFrom(from)
    // The farthest zone is 14 hours ahead.
    if (day === null || day - dayMs > untilMs) return
    for (const atMs of instantsOfDay(rule, zone, day)) {
      if (atMs > untilMs) return
      if (atMs > last) {
        yield atMs
        last = atMs
      }
    }
    from = day + dayMs
  }
}

/** `day` is its local midnight, written as if it were UTC. */
function instantsOfDay(rule: CronRule, zone: TimeZone, day: number): readonly number[] {
  const [fromMs, toMs] = [day - dayMs, day + 2 * dayMs]
  const [before, after] = [zone.offsetMs(fromMs), zone.offsetMs(toMs)]
  const locals = rule.minutes.map((minute) => day + minute * minuteMs)
  if (before === after) return locals.map((localMs) => localMs - before)
  const changeMs = changeBetween(zone, fromMs, toMs)
  const instants = locals.flatMap((localMs) => {
    const [first, second] = [localMs - before, localMs - after]
    const isBefore = first < changeMs
    const isAfter = second >= changeMs
    if (rule.followsRealTime) return [...(isBefore ? [first] : []), ...(isAfter ? [second] : [])]
    if (isBefore) return [first]
    return [isAfter ? second : changeMs]
  })
  return instants.sort((a, b) => a - b)
}
