import { cx } from '#console/lib/cx.ts'
import { chartScale, seriesColour } from './chart-scale.ts'

export type ChartSeries = { key: string; label: string }
export type ChartBar = {
  key: string
  label: string
  /** By series key. */
  values: Record<string, number>
}

type BarChartProps = {
  /** What the chart shows; the numbers are in a table beside it. */
  label: string
  series: readonly ChartSeries[]
  bars: readonly ChartBar[]
  format(value: number): string
  /** If given, each bar becomes a button. */
  onSelect?: (bar: ChartBar) => void
}

const height = 220
const barGap = 0.25

/**
 * Stacked bars. Colour is never the only cue: each part has a title, and the legend keeps the
 * order.
 */
export function BarChart({ label, series, bars, format, onSelect }: BarChartProps) {
  const sums = bars.map((bar) => series.reduce((sum, { key }) => sum + (bar.values[key] ?? 0), 0))
  const { top, ticks } = chartScale(Math.max(0, ...sums))
  const every = Math.max(1, Math.ceil(bars.length / 8))
  return (
    <figure className="flex min-w-0 flex-col gap-3" aria-label={label}>
      <div className="flex gap-2">
        <div
          className="relative w-14 shrink-0 text-right text-soft text-xs"
          style={{ height }}
          aria-hidden
        >
          {ticks.map((tick) => (
            <span
              key={tick}
              className="absolute right-0 translate-y-1/2"
              style={{ bottom: `${(tick / top) * 100}%` }}
            >
              {format(tick)}
            </span>
          ))}
        </div>
        <div className="relative min-w-0 grow border-line border-b" style={{ height }}>
          {ticks.map((tick) => (
            <div
              key={tick}
              className="absolute inset-x-0 border-line border-t"
              style={{ bottom: `${(tick / top) * 100}%` }}
            />
          ))}
          <div className="absolute inset-0 flex items-end">
            {bars.map((bar, index) => (
              <Bar
                key={bar.key}
                bar={bar}
                series={series}
                title={`${bar.label}: ${format(sums[index] ?? 0)}`}
                top={top}
                format={format}
                onSelect={onSelect}
              />
            ))}
          </div>
        </div>
      </div>
      <div className="ml-16 flex text-soft text-xs" aria-hidden>
        {bars.map((bar, index) => (
          <span
            key={bar.key}
            className={cx(
              'w-0 grow whitespace-nowrap',
              // A phone has room for only every second label.
              index % (every * 2) !== 0 && 'max-md:invisible',
            )}
          >
            {index % every === 0 ? bar.label : ''}
          </span>
        ))}
      </div>
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {series.map(({ key, label: name }, index) => (
          <span key={key} className="inline-flex items-center gap-1.5">
            <span
              className="size-2.5 rounded-sm"
              style={{ background: seriesColour(index, key) }}
              aria-hidden
            />
            {name}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

type BarProps = {
  bar: ChartBar
  series: readonly ChartSeries[]
  title: string
  top: number
  format(value: number): string
  onSelect: BarChartProps['onSelect']
}

function Bar({ bar, series, title, top, format, onSelect }: BarProps) {
  const parts = series.map(({ key, label }, index) => (
    <span
      key={key}
      title={`${bar.label}, ${label}: ${format(bar.values[key] ?? 0)}`}
      className="block w-full"
      style={{
        height: `${((bar.values[key] ?? 0) / top) * 100}%`,
        background: seriesColour(index, key),
      }}
    />
  ))
  const inner = 'flex h-full w-0 grow flex-col-reverse justify-start'
  const style = { paddingInline: `${(barGap / 2) * (100 / 12)}%` }
  if (!onSelect)
    return (
      <span className={inner} style={style}>
        {parts}
      </span>
    )
  return (
    <button
      type="button"
      className={`${inner} hover:opacity-75`}
      style={style}
      aria-label={title}
      onClick={() => onSelect(bar)}
    >
      {parts}
    </button>
  )
}
