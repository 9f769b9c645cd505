import { cx } from '#console/lib/cx.ts'

type MeterProps = { label: string; value: number; max: number }

/** How full something is, with a warning from nine tenths. Read out as a meter, drawn as a bar. */
export function Meter({ label, value, max }: MeterProps) {
  const share = max > 0 ? Math.min(1, value / max) : 1
  return (
    <div className="h-2 overflow-hidden rounded-sm bg-sunken">
      <meter className="sr-only" aria-label={label} min={0} max={max} value={value} />
      <div
        aria-hidden
        className={cx('h-full', share >= 1 ? 'bg-bad' : share >= 0.9 ? 'bg-warn' : 'bg-accent')}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  )
}
