import { type Static, Type } from 'typebox'
import { toRfc3339 } from '#core/clock.ts'
import { dateOf, dayIndexAt, dayIndexOf, offsetSpans, type TimeZone } from '#core/time-zone.ts'
import { answer } from '#operations/operation.ts'
import { OneOf } from '#operations/schemas.ts'
import type { Reader } from '#store/db.ts'
import {
  addUp,
  type UsageBucket,
  type UsageSplit,
  usageBuckets,
  usageLeaders,
  usageTotal,
} from '#store/tables/usage.ts'
import { asApiCaller, defineDeveloper, requireSession } from '../context.ts'
import { badQuery } from '../instants.ts'
import { LocalDay, readZone, spanOfDays, TimeZoneName } from './local-days.ts'
import { estimatesOf } from './usage-estimates.ts'
import { type BucketSize, frameKey, framesOf, maxDaysOf, unitMsOf } from './usage-frames.ts'
import { namesOf } from './usage-names.ts'
import { toCounts, Usage } from './usage-record.ts'

const defaultDays = 30
const shownSeries = 7

const UsageQuery = Type.Object({
  from: Type.Optional({ ...LocalDay, description: 'First day; absent: 30 days in all.' }),
  to: Type.Optional({ ...LocalDay, description: 'Last day, included; absent: today.' }),
  tz: Type.Optional(TimeZoneName),
  by: Type.Optional(OneOf(['hour', 'day', 'month'], 'Size of the buckets; absent: day.')),
  split: Type.Optional(
    OneOf(['model', 'key', 'workflow'], 'What series stand for; absent: model.'),
  ),
})

export const getUsage = defineDeveloper({
  id: 'getUsage',
  route: 'GET /usage',
  summary: 'Sums calls, units and cost by hour, day or month, and by model, key or workflow',
  scope: 'public',
  query: UsageQuery,
  success: {
    200: {
      description:
        'Sums of the ledger by when calls were settled. At most 31 days by hour, 366 by day, 1,096 by month.',
      data: Usage,
    },
  },
  errors: ['AUTH_REQUIRED'],
  repeatable: true,
  async handle(context, { query }) {
    const { accountId } = requireSession(context)
    const { db, clock, chats } = context.services
    const asked = readRange(query, clock.nowMs())
    await chats.flush(accountId)
    const { zone, by, split, firstDay, lastDay } = asked
    const days = lastDay - firstDay + 1
    const span = spanOfDays(zone, firstDay, lastDay)
    const before = spanOfDays(zone, firstDay - days, firstDay - 1)
    return answer({
      from: dateOf(firstDay),
      to: dateOf(lastDay),
      tz: zone.name,
      by,
      split,
      ...(await usageOf(db, accountId, asked)),
      previous: {
        from: dateOf(firstDay - days),
        to: dateOf(firstDay - 1),
        ...toCounts(await usageTotal(db, accountId, before)),
      },
      estimates: await estimatesOf(asApiCaller(context), span),
    })
  },
})

type Range = {
  zone: TimeZone
  by: BucketSize
  split: UsageSplit
  firstDay: number
  lastDay: number
}

function readRange(query: Static<typeof UsageQuery>, nowMs: number): Range {
  const { by = 'day', split = 'model' } = query
  const zone = readZone(query.tz)
  const lastDay = query.to === undefined ? dayIndexAt(zone, nowMs) : dayIndexOf(query.to)
  const firstDay = query.from === undefined ? lastDay - defaultDays + 1 : dayIndexOf(query.from)
  if (firstDay > lastDay) throw badQuery('from', 'must not be after to')
  if (lastDay - firstDay >= maxDaysOf[by]) {
    throw badQuery('from', `must be at most ${maxDaysOf[by]} days before to, by ${by}`)
  }
  return { zone, by, split, firstDay, lastDay }
}

/** Totals are added up from the buckets, so that an answer agrees with itself. */
async function usageOf(db: Reader, accountId: string, range: Range) {
  const { zone, by, split, firstDay, lastDay } = range
  const span = spanOfDays(zone, firstDay, lastDay)
  const leaders = await usageLeaders(db, accountId, span, { split, limit: shownSeries })
  const spans = offsetSpans(zone, span.fromMs, span.toMs)
  const options = { split, leaders, unitMs: unitMsOf[by] }
  const read = spans.map(async (one) => {
    const rows = await usageBuckets(db, accountId, one, options)
    return rows.map((row) => ({ ...row, frame: frameKey(by, row.bucket, one.offsetMs) }))
  })
  const rows = (await Promise.all(read)).flat()
  const byFrame = Map.groupBy(rows, ({ frame }) => frame)
  const nameOf = await namesOf(db, accountId, split, leaders)
  const seriesIn = (some: readonly UsageBucket[]) =>
    [...leaders, null].flatMap((series) => {
      const own = some.filter((row) => row.series === series)
      return own.length === 0 ? [] : [{ ...nameOf(series), ...toCounts(addUp(own)) }]
    })
  return {
    series: seriesIn(rows),
    buckets: framesOf(by, range, spans).map(({ key, fromMs, toMs }) => ({
      key,
      label: key.replace('T', ' ').replace(/(Z|[+-]\d\d:\d\d)$/, ''),
      startsAt: toRfc3339(fromMs),
      endsAt: toRfc3339(toMs),
      series: seriesIn(byFrame.get(key) ?? []),
    })),
    total: toCounts(addUp(rows)),
  }
}
