// The address holds what the usage screen shows, so a link shows a colleague the same picture.
import { oneOf } from '#console/lib/search-values.ts'

export const ranges = ['7d', '30d', '90d', '12mo'] as const
export const measures = ['cost', 'calls', 'failed', 'tokens', 'images', 'videoSeconds'] as const
export const splits = ['model', 'key', 'workflow', 'tag'] as const

export type Range = (typeof ranges)[number]
export type Measure = (typeof measures)[number]
export type Split = (typeof splits)[number]

export type UsageSearch = {
  range?: Range
  /** The first and last day of a custom range, which replaces `range`. */
  from?: string
  to?: string
  tz?: string
  measure?: Measure
  split?: Split
  /** Only calls with this tag. */
  tag?: string
  /** The bucket whose calls are listed. */
  at?: string
}

const dayPattern = /^\d{4}-\d{2}-\d{2}$/
const matching = (pattern: RegExp, value: unknown): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined

/** Reads what the address says; anything else is dropped, so that a mistyped one still opens. */
export function usageSearch(search: Record<string, unknown>): UsageSearch {
  const read = {
    range: oneOf(ranges, search.range),
    from: matching(dayPattern, search.from),
    to: matching(dayPattern, search.to),
    tz: matching(/^[A-Za-z0-9_+/-]{1,64}$/, search.tz),
    measure: oneOf(measures, search.measure),
    split: oneOf(splits, search.split),
    tag: matching(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,63}$/, search.tag),
    at: matching(/^[\dT:Z+-]{7,32}$/, search.at),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}

/** The query of `GET /usage`. Days, including today, are those of the chosen time zone. */
export function usageQuery(
  { range = '30d', from, to, split = 'model', tag }: UsageSearch,
  { tz, today }: { tz: string; today: string },
) {
  const own = from && to && from <= to ? { from, to } : null
  const { from: first, to: last } = own ?? { from: firstDayOf(range, today), to: today }
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1
  return {
    from: first,
    to: last,
    tz,
    split,
    ...(tag === undefined ? {} : { tag }),
    by: days > 100 ? ('month' as const) : ('day' as const),
  }
}

const dayMs = 86_400_000

function firstDayOf(range: Range, today: string): string {
  if (range === '12mo') {
    const [year = 0, month = 1] = today.split('-').map(Number)
    return new Date(Date.UTC(year, month - 12, 1)).toISOString().slice(0, 10)
  }
  return new Date(Date.parse(today) - (Number.parseInt(range, 10) - 1) * dayMs)
    .toISOString()
    .slice(0, 10)
}

/** Today in a time zone, as `2026-11-15`. */
export const todayIn = (tz: string, nowMs: number): string =>
  // Swedish dates are written as in ISO 8601.
  new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short' }).format(nowMs)

/** The time zone in the address if the browser knows it, otherwise the reader's own. */
export function knownZone(asked: string | undefined): string {
  for (const zone of [asked, Intl.DateTimeFormat().resolvedOptions().timeZone]) {
    try {
      if (zone) return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
    } catch {
      // An address may name any time zone, and old browsers know fewer of them.
    }
  }
  return 'UTC'
}
