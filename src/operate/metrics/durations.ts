import type { Metric } from 'prom-client'

type Label = string | number
type Series = { values: readonly Label[]; counts: number[]; sum: number; total: number }

/** A minimal histogram: an observation takes 0.4 µs, the library's own takes 0.6 (decision 56). */
export function createDurations(options: {
  name: string
  help: string
  labels: readonly [string] | readonly [string, string]
  bounds: readonly number[]
}) {
  const { name, help, labels, bounds } = options
  // Nested maps, so that an observation need not concatenate its labels into a key.
  const series = new Map<Label, Map<Label | undefined, Series>>()

  function seriesOf(first: Label, second: Label | undefined): Series {
    const bySecond = series.get(first) ?? new Map<Label | undefined, Series>()
    series.set(first, bySecond)
    const known = bySecond.get(second)
    if (known) return known
    const values = second === undefined ? [first] : [first, second]
    const fresh = { values, counts: bounds.map(() => 0), sum: 0, total: 0 }
    bySecond.set(second, fresh)
    return fresh
  }

  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum' as const,
    values: [...series.values()].flatMap((bySecond) => [...bySecond.values()]).flatMap(toValues),
  })

  function toValues({ values, counts, sum, total }: Series) {
    const own = Object.fromEntries(labels.map((label, i) => [label, String(values[i])]))
    let below = 0
    const buckets = bounds.map((bound, i) => {
      below += counts[i] ?? 0
      return { labels: { ...own, le: String(bound) }, value: below, metricName: `${name}_bucket` }
    })
    return [
      ...buckets,
      { labels: { ...own, le: '+Inf' }, value: total, metricName: `${name}_bucket` },
      { labels: own, value: sum, metricName: `${name}_sum` },
      { labels: own, value: total, metricName: `${name}_count` },
    ]
  }

  return {
    // The registry uses only these members of a metric.
    metric: { name, get, reset: () => series.clear() } as unknown as Metric,
    observe(elapsedMs: number, first: Label, second?: Label) {
      const one = seriesOf(first, second)
      const seconds = elapsedMs / 1000
      const index = bounds.findIndex((bound) => seconds <= bound)
      if (index !== -1) one.counts[index] = (one.counts[index] ?? 0) + 1
      one.sum += seconds
      one.total += 1
    },
  }
}
