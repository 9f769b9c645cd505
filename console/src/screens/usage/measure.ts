import type { Usage, UsageSeries } from '#console/api/types.ts'
import { formatMoney } from '#console/lib/money.ts'
import type { Measure } from './address.ts'

export type Counts = Omit<UsageSeries, 'key' | 'label'>

export const measureNames: Record<Measure, string> = {
  cost: 'Spend',
  calls: 'Calls',
  failed: 'Failed calls',
  tokens: 'Tokens',
  images: 'Images',
  videoSeconds: 'Video seconds',
}

export function amountOf(measure: Measure, counts: Counts): number {
  if (measure === 'cost') return counts.cost.amount
  if (measure === 'tokens') return counts.inputTokens + counts.outputTokens
  return counts[measure]
}

export const formatMeasure = (measure: Measure, currency: string, locale: string) => {
  const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  return (value: number): string =>
    measure === 'cost' ? formatMoney(value, currency, locale) : plain.format(value)
}

/** "12% more than …": how a period compares with the previous one, without relying on colour. */
export function changeWords(now: number, before: number): string {
  if (before === 0)
    return now === 0 ? 'none in the previous period either' : 'none in the previous period'
  const change = (now - before) / before
  if (Math.abs(change) < 0.005) return 'same as in the previous period'
  const percent = Math.round(Math.abs(change) * 100)
  return `${percent}% ${change > 0 ? 'more' : 'less'} than in the previous period`
}

/** How far off an estimate was, relative to the actual cost. Null if only the latter is 0. */
export function estimateError(estimated: number, actual: number): string | null {
  if (actual === 0) return estimated === 0 ? 'exact' : null
  const error = (estimated - actual) / actual
  if (Math.abs(error) < 0.0005) return 'exact'
  return `${error > 0 ? '+' : '−'}${(Math.abs(error) * 100).toFixed(1)}%`
}

/** All measures of every bucket and series, for a spreadsheet. RFC 4180. */
export function usageCsv(usage: Usage): string {
  const header = [
    usage.by,
    usage.split,
    'name',
    'calls',
    'failed',
    'inputTokens',
    'outputTokens',
    'images',
    'videoSeconds',
    `cost ${usage.total.cost.currency}`,
    // Parts of the above come last, because a script may rely on the order of columns.
    'cachedInputTokens',
    'cacheWriteTokens',
    'reasoningTokens',
    `own keys ${usage.total.cost.currency}`,
  ]
  const rows = usage.buckets.flatMap((bucket) =>
    bucket.series.map((one) => [
      bucket.key,
      one.key,
      one.label,
      one.calls,
      one.failed,
      one.inputTokens,
      one.outputTokens,
      one.images,
      one.videoSeconds,
      one.cost.amount,
      one.cachedInputTokens,
      one.cacheWriteTokens,
      one.reasoningTokens,
      one.ownKeysCost.amount,
    ]),
  )
  return [header, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('')
}

function csvField(value: string | number): string {
  if (typeof value === 'number') return String(value)
  // A spreadsheet would evaluate a name that begins like a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
