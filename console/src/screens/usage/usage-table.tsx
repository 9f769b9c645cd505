import type { Usage } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import type { Measure } from './address.ts'
import { bucketLabel } from './bucket-label.ts'
import { amountOf, formatMeasure, measureNames } from './measure.ts'

type UsageTableProps = { usage: Usage; measure: Measure; onOpen(bucket: string): void }
type Row = { key: string; values: Map<string, number>; sum: number }

/** The numbers behind the chart: newest first, without empty buckets. */
export function UsageTable({ usage, measure, onOpen }: UsageTableProps) {
  const format = formatMeasure(measure, usage.total.cost.currency, locale)
  const rows = usage.buckets
    .filter(({ series }) => series.length > 0)
    .map(({ key, series }): Row => {
      const values = new Map(series.map((one) => [one.key, amountOf(measure, one)]))
      return { key, values, sum: amountOf(measure, sumOf(series)) }
    })
    .reverse()
  const columns: Column<Row>[] = [
    {
      key: 'bucket',
      label: usage.by === 'month' ? 'Month' : 'Day',
      names: true,
      draw: ({ key }) => (
        <Button variant="quiet" size="small" className="-ml-3" onClick={() => onOpen(key)}>
          {bucketLabel(key, locale)}
        </Button>
      ),
    },
    ...usage.series.map(
      (one): Column<Row> => ({
        key: one.key,
        label: one.label,
        align: 'right',
        wideOnly: true,
        draw: ({ values }) => format(values.get(one.key) ?? 0),
      }),
    ),
    { key: 'sum', label: 'All', align: 'right', draw: ({ sum }) => format(sum) },
  ]
  return (
    <Card title={`${measureNames[measure]} in numbers`} flush>
      <Table
        caption={`${measureNames[measure]} per ${usage.by} by ${usage.split}`}
        columns={columns}
        rows={rows}
        rowKey={({ key }) => key}
      />
    </Card>
  )
}

type Series = Usage['series'][number]

/** Amounts of money are sums of millionths: rounding removes floating-point errors. */
const sumOf = (series: readonly Series[]): Omit<Series, 'key' | 'label'> => {
  const add = (pick: (one: Series) => number) => series.reduce((sum, one) => sum + pick(one), 0)
  const money = (pick: (one: Series) => number) => ({
    amount: Math.round(add(pick) * 1e6) / 1e6,
    currency: series[0]?.cost.currency ?? 'USD',
  })
  return {
    calls: add((one) => one.calls),
    failed: add((one) => one.failed),
    inputTokens: add((one) => one.inputTokens),
    cachedInputTokens: add((one) => one.cachedInputTokens),
    cacheWriteTokens: add((one) => one.cacheWriteTokens),
    outputTokens: add((one) => one.outputTokens),
    reasoningTokens: add((one) => one.reasoningTokens),
    images: add((one) => one.images),
    videoSeconds: add((one) => one.videoSeconds),
    cost: money((one) => one.cost.amount),
    ownKeysCost: money((one) => one.ownKeysCost.amount),
  }
}
