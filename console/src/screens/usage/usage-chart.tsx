import type { Usage } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'
import { BarChart } from '#console/ui/bar-chart.tsx'
import { Card } from '#console/ui/card.tsx'
import type { Measure } from './address.ts'
import { bucketLabel } from './bucket-label.ts'
import { amountOf, changeWords, formatMeasure, measureNames } from './measure.ts'

type UsageChartProps = { usage: Usage; measure: Measure; onOpen(bucket: string): void }

export function UsageChart({ usage, measure, onOpen }: UsageChartProps) {
  const format = formatMeasure(measure, usage.total.cost.currency, locale)
  const total = amountOf(measure, usage.total)
  const ownKeys = usage.total.ownKeysCost.amount
  return (
    <Card>
      <div className="mb-4 flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-soft">{measureNames[measure]}</h2>
        <strong className="font-semibold text-2xl">{format(total)}</strong>
        <span className="text-soft text-sm">
          {changeWords(total, amountOf(measure, usage.previous))}
        </span>
        {measure === 'cost' && ownKeys > 0 && (
          <span className="text-soft text-sm">{format(ownKeys)} of it with your own keys</span>
        )}
      </div>
      <BarChart
        label={`${measureNames[measure]} per ${usage.by}`}
        series={usage.series.map(({ key, label }) => ({
          key: key === '(other)' ? 'other' : key,
          label,
        }))}
        bars={usage.buckets.map((bucket) => ({
          key: bucket.key,
          label: bucketLabel(bucket.key, locale),
          values: Object.fromEntries(
            bucket.series.map((one) => [
              one.key === '(other)' ? 'other' : one.key,
              amountOf(measure, one),
            ]),
          ),
        }))}
        format={format}
        onSelect={({ key }) => onOpen(key)}
      />
    </Card>
  )
}
