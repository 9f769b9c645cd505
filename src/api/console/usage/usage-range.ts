import { tagPattern } from '#core/budgets.ts'
import { type Static, Type } from '#core/schema.ts'
import { dateOf, dayIndexAt, dayIndexOf, type TimeZone } from '#core/time-zone.ts'
import type { UsageSplit } from '#store/tables/usage.ts'
import { OneOf } from '../../schemas.ts'
import { badQuery } from '../instants.ts'
import { LocalDay, readZone, spanOfDays, TimeZoneName } from './local-days.ts'
import { type BucketSize, maxDaysOf } from './usage-frames.ts'

const defaultDays = 30

export const UsageQuery = Type.Object({
  from: Type.Optional({ ...LocalDay, description: 'First day. Default: 30 days in total.' }),
  to: Type.Optional({ ...LocalDay, description: 'Last day, inclusive. Default: today.' }),
  tz: Type.Optional(TimeZoneName),
  by: Type.Optional(OneOf(['hour', 'day', 'month'], 'Size of the buckets; absent: day.')),
  split: Type.Optional(
    OneOf(['model', 'key', 'workflow', 'tag'], 'What each series represents; absent: model.'),
  ),
  tag: Type.Optional(
    Type.String({ pattern: tagPattern, description: 'Only calls with this tag.' }),
  ),
})

/** The requested days as dates, as day numbers and as times. */
export type UsageRange = {
  zone: TimeZone
  by: BucketSize
  split: UsageSplit
  tag: string | undefined
  from: string
  to: string
  tz: string
  firstDay: number
  lastDay: number
  fromMs: number
  toMs: number
}

export function readRange(query: Static<typeof UsageQuery>, nowMs: number): UsageRange {
  const { by = 'day', split = 'model' } = query
  const zone = readZone(query.tz)
  const lastDay = query.to === undefined ? dayIndexAt(zone, nowMs) : dayIndexOf(query.to)
  const firstDay = query.from === undefined ? lastDay - defaultDays + 1 : dayIndexOf(query.from)
  if (firstDay > lastDay) throw badQuery('from', 'must not be after to')
  if (lastDay - firstDay >= maxDaysOf[by]) {
    throw badQuery('from', `must be at most ${maxDaysOf[by]} days before to, by ${by}`)
  }
  return {
    zone,
    by,
    split,
    tag: query.tag,
    from: dateOf(firstDay),
    to: dateOf(lastDay),
    tz: zone.name,
    firstDay,
    lastDay,
    ...spanOfDays(zone, firstDay, lastDay),
  }
}
