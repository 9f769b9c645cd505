import { Type } from '#core/schema.ts'
import { dayIndexOf, openTimeZone, startOfDay, type TimeZone } from '#core/time-zone.ts'
import { badQuery } from '../instants.ts'

/** Restricted to years in which time zones behave as the calendar code expects. */
export const LocalDay = Type.String({ format: 'date', pattern: '^20[0-9]{2}-' })

export const TimeZoneName = Type.String({
  maxLength: 100,
  default: 'UTC',
  description: 'A name in the tz database, such as `Europe/Berlin`.',
})

export function readZone(name = 'UTC'): TimeZone {
  const zone = openTimeZone(name)
  if (!zone) throw badQuery('tz', 'must be a name of the tz database')
  return zone
}

export const spanOfDays = (zone: TimeZone, firstDay: number, lastDay: number) => ({
  fromMs: startOfDay(zone, firstDay),
  toMs: startOfDay(zone, lastDay + 1),
})

export const spanOfDay = (zone: TimeZone, date: string) =>
  spanOfDays(zone, dayIndexOf(date), dayIndexOf(date))
