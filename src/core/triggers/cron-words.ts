// A cron expression as a sentence, and the days of the next year on which the clocks change and it
// fires at another time than it says.
import { dateOf, dayMs, offsetSpans, type TimeZone } from '../time-zone.ts'
import { type CronRule, cronInstants } from './cron.ts'

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const shortDays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const two = (number: number | string) => String(number).padStart(2, '0')
const clock = (minuteOfDay: number) =>
  `${two(Math.floor(minuteOfDay / 60))}:${two(minuteOfDay % 60)}`

/** Of an expression that can be read. */
export function cronWords(text: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = text.trim().split(/\s+/)
  const time = timeWords(minute, hour)
  // "Every Monday at 09:00": most schedules have a fixed time on days of the week.
  if (`${day} ${month}` === '* *' && fixed.test(minute) && fixedHours.test(hour)) {
    return `Every ${weekday === '*' ? 'day' : weekdayWords(weekday)} at ${time.slice('At '.length)}`
  }
  return [time, dayWords(day, weekday), monthWords(month)].filter(Boolean).join(' ')
}

const fixed = /^\d+$/
const fixedHours = /^[\d,]+$/

function timeWords(minute: string, hour: string): string {
  if (fixed.test(minute) && fixedHours.test(hour)) {
    return `At ${hour
      .split(',')
      .map((one) => `${two(one)}:${two(minute)}`)
      .join(', ')}`
  }
  const minutes = fieldWords(minute, 'minute')
  return hour === '*' ? `Each hour, ${minutes}` : `${capital(minutes)}, ${fieldWords(hour, 'hour')}`
}

function fieldWords(field: string, unit: string): string {
  if (field === '*') return `every ${unit}`
  const step = /^\*\/(\d+)$/.exec(field)
  if (step) return `every ${step[1]} ${unit}s`
  return unit === 'minute' ? `at minute ${field}` : `in hour ${field}`
}

function dayWords(day: string, weekday: string): string {
  const onDay = day === '*' ? '' : `on day ${day} of the month`
  const onWeekday = weekday === '*' ? '' : `on ${weekdayWords(weekday)}`
  if (!onDay && !onWeekday) return 'every day'
  return [onDay, onWeekday].filter(Boolean).join(' or ')
}

const weekdayWords = (weekday: string): string => weekday.split(',').map(rangeOfDays).join(', ')

const rangeOfDays = (range: string): string =>
  range
    .split('-')
    .map((one) => weekdays[dayNumber(one)] ?? one)
    .join(' to ')

const dayNumber = (text: string): number =>
  /^\d$/.test(text) ? Number(text) % 7 : shortDays.indexOf(text.toLowerCase())

const monthWords = (month: string) => (month === '*' ? '' : `in month ${month}`)
const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** In the largest unit that is exact: 5400 seconds are 90 minutes. */
export function intervalWords(seconds: number): string {
  const [unit, length] = units.find(([, each]) => seconds % each === 0) ?? ['second', 1]
  return seconds === length ? `Every ${unit}` : `Every ${seconds / length} ${unit}s`
}

/** Sentences about the changes of the clocks within a year that move or double a firing. */
export function shiftedDays(rule: CronRule, zone: TimeZone, nowMs: number): string[] {
  if (rule.followsRealTime) return []
  const spans = offsetSpans(zone, nowMs, nowMs + 366 * dayMs)
  return spans.slice(1).flatMap(({ fromMs, offsetMs }, i) => {
    const before = spans[i]?.offsetMs ?? offsetMs
    const [first, last] = [fromMs + Math.min(before, offsetMs), fromMs + Math.max(before, offsetMs)]
    const day = Math.floor(first / dayMs) * dayMs
    const met = rule.minutes.find((minute) => {
      const localMs = day + minute * 60_000
      return localMs >= first && localMs < last
    })
    if (met === undefined || rule.dayFrom(day) !== day) return []
    const date = dateOf(day / dayMs)
    if (offsetMs < before) return [`${date}: ${clock(met)} comes twice, fires the first time`]
    const [atMs] = cronInstants(rule, zone, { afterMs: fromMs - 1, untilMs: fromMs })
    if (atMs === undefined) return []
    const shown = Math.floor(((atMs + offsetMs) % dayMs) / 60_000)
    return [`${date}: ${clock(met)} does not exist, fires ${clock(shown)}`]
  })
}
