import { toRfc3339 } from '#core/clock.ts'
import { money } from '#core/money.ts'
import { dateOf, offsetSpans } from '#core/time-zone.ts'
import type { Reader } from '#store/db.ts'
import {
  addUp,
  savedIn,
  type UsageBucket,
  usageBuckets,
  usageLeaders,
  usageTotal,
} from '#store/tables/usage.ts'
import { answer } from '../../operation.ts'
import { defineConsole, requireCaller } from '../context.ts'
import { spanOfDays } from './local-days.ts'
import { estimatesOf } from './usage-estimates.ts'
import { frameKey, framesOf, unitMsOf } from './usage-frames.ts'
import { namesOf } from './usage-names.ts'
import { readRange, UsageQuery, type UsageRange } from './usage-range.ts'
import { toCounts, Usage } from './usage-record.ts'

const shownSeries = 7
/** Usage must be fast, so one answer computes only a few missing estimates. */
const estimatesMade = 5

export const getUsage = defineConsole({
  id: 'getUsage',
  route: 'GET /usage',
  summary: 'Sums calls, units and cost by hour, day or month, and by model, key, workflow or tag',
  access: 'viewer',
  takesKeys: true,
  query: UsageQuery,
  success: {
    200: {
      description:
        'Sums of the ledger by when calls were settled. At most 31 days by hour, 366 by day, 1,096 by month.',
      data: Usage,
    },
  },
  async handle(context, { query }) {
    const { accountId } = requireCaller(context)
    const { db, clock, chats } = context.services
    const asked = readRange(query, clock.nowMs())
    await chats.flush(accountId)
    const { zone, by, split, tag, from, to, tz, firstDay, lastDay } = asked
    const days = lastDay - firstDay + 1
    const before = spanOfDays(zone, firstDay - days, firstDay - 1)
    const estimates = await estimatesOf(context, asked, { maxMade: estimatesMade })
    return answer({
      from,
      to,
      tz,
      by,
      split,
      ...(await usageOf(db, accountId, asked)),
      savedCost: money(await savedIn(db, accountId, asked, { tag })),
      previous: {
        from: dateOf(firstDay - days),
        to: dateOf(firstDay - 1),
        ...toCounts(await usageTotal(db, accountId, before, { tag })),
      },
      estimates: estimates.items,
      estimatesNext: estimates.next,
    })
  },
})

/** Totals are computed from the buckets, so that an answer is consistent. */
async function usageOf(db: Reader, accountId: string, range: UsageRange) {
  const { zone, by, split, tag, fromMs, toMs } = range
  const leaders = await usageLeaders(db, accountId, range, { split, tag, limit: shownSeries })
  const spans = offsetSpans(zone, fromMs, toMs)
  const options = { split, tag, leaders, unitMs: unitMsOf[by] }
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
