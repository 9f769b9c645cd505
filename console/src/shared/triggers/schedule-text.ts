// A schedule of five fields, which simple choices and the fields themselves both edit. Pure.

export type Rhythm = 'hour' | 'day' | 'weekday' | 'week' | 'month' | 'custom'

export const two = (number: number) => String(number).padStart(2, '0')
const number = /^\d{1,2}$/

/** How often a schedule fires, as far as the simple choices can say it. */
export function rhythmOf(cron: string): Rhythm {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/)
  if (!number.test(minute) || month !== '*') return 'custom'
  if (hour === '*' && day === '*' && weekday === '*') return 'hour'
  if (!number.test(hour)) return 'custom'
  if (day === '*' && weekday === '*') return 'day'
  if (day === '*' && weekday === '1-5') return 'weekday'
  if (day === '*' && /^[0-7]$/.test(weekday)) return 'week'
  return number.test(day) && weekday === '*' ? 'month' : 'custom'
}

const rest: Record<Exclude<Rhythm, 'custom'>, string> = {
  ...{ hour: '* * *', day: '* * *', weekday: '* * 1-5', week: '* * 1', month: '1 * *' },
}

/** The same time of the day in another rhythm. */
export function withRhythm(cron: string, rhythm: Rhythm): string {
  if (rhythm === 'custom') return cron
  const [hours, minutes] = timeOf(cron).split(':').map(Number)
  return `${minutes} ${rhythm === 'hour' ? '*' : hours} ${rest[rhythm]}`
}

/** `09:30`, or nine o'clock if it has no single time. */
export function timeOf(cron: string): string {
  const [minute = '', hour = ''] = cron.trim().split(/\s+/)
  const shown = [hour, minute].map((field) => (number.test(field) ? two(Number(field)) : null))
  return `${shown[0] ?? '09'}:${shown[1] ?? '00'}`
}

export function withTime(cron: string, time: string): string {
  const [hours = '9', minutes = '0'] = time.split(':')
  const [, hour = '*', ...others] = cron.trim().split(/\s+/)
  return [Number(minutes), hour === '*' ? '*' : Number(hours), ...others].join(' ')
}

/** Which day of the week, for a weekly schedule. */
export const withWeekday = (cron: string, weekday: string): string =>
  [...cron.trim().split(/\s+/).slice(0, 4), weekday].join(' ')

export const weekdays = [
  ...['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
]

export const weekdayOf = (cron: string): string =>
  String(Number(cron.trim().split(/\s+/)[4]) % 7 || 0)

export const units = [
  { value: '1', label: 'seconds' },
  { value: '60', label: 'minutes' },
  { value: '3600', label: 'hours' },
  { value: '86400', label: 'days' },
] as const
export type Unit = (typeof units)[number]['value']

/** In the largest unit that is exact. */
export function intervalOf(seconds: number): { every: string; unit: Unit } {
  const unit = units.findLast(({ value }) => seconds % Number(value) === 0)?.value ?? '1'
  return { every: String(seconds / Number(unit)), unit }
}
