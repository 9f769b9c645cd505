// The buckets of a chart: every hour, day or month of a span, including empty ones.
import { dateOf, dayMs, type OffsetSpan, startOfDay, type TimeZone } from '#core/time-zone.ts'

export type BucketSize = 'hour' | 'day' | 'month'
export type Frame = { key: string; fromMs: number; toMs: number }

const hourMs = 3_600_000
export const unitMsOf = { hour: hourMs, day: dayMs, month: dayMs } as const

/** The longest span of one answer, in days; it limits the answer to 744 buckets. */
export const maxDaysOf = { hour: 31, day: 366, month: 1_096 } as const

/** The key of a bucket. `unit` is the number of the local hour or day, as in the database. */
export function frameKey(by: BucketSize, unit: number, offsetMs: number): string {
  if (by === 'day') return dateOf(unit)
  if (by === 'month') return dateOf(unit).slice(0, 7)
  // Includes the offset, because an hour occurs twice when clocks are set back.
  return `${new Date(unit * hourMs).toISOString().slice(0, 16)}${offsetText(offsetMs)}`
}

function offsetText(offsetMs: number): string {
  if (offsetMs === 0) return 'Z'
  const minutes = Math.abs(offsetMs) / 60_000
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0')
  return `${offsetMs < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}

export function framesOf(
  by: BucketSize,
  { zone, firstDay, lastDay }: { zone: TimeZone; firstDay: number; lastDay: number },
  spans: readonly OffsetSpan[],
): Frame[] {
  return by === 'hour' ? spans.flatMap(hoursOf) : merged(daysOf(by, zone, firstDay, lastDay))
}

function hoursOf({ fromMs, toMs, offsetMs }: OffsetSpan): Frame[] {
  const first = Math.floor((fromMs + offsetMs) / hourMs)
  const last = Math.floor((toMs - 1 + offsetMs) / hourMs)
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const startMs = (first + index) * hourMs - offsetMs
    return {
      key: frameKey('hour', first + index, offsetMs),
      fromMs: Math.max(fromMs, startMs),
      toMs: Math.min(toMs, startMs + hourMs),
    }
  })
}

function daysOf(by: 'day' | 'month', zone: TimeZone, firstDay: number, lastDay: number): Frame[] {
  const starts = Array.from({ length: lastDay - firstDay + 2 }, (_, index) =>
    startOfDay(zone, firstDay + index),
  )
  return starts.slice(0, -1).map((fromMs, index) => ({
    key: frameKey(by, firstDay + index, 0),
    fromMs,
    toMs: starts[index + 1] ?? fromMs,
  }))
}

/** Merges the days of each month into one frame. */
function merged(days: readonly Frame[]): Frame[] {
  const frames = new Map<string, Frame>()
  for (const day of days) {
    const known = frames.get(day.key)
    frames.set(day.key, known ? { ...known, toMs: day.toMs } : day)
  }
  return [...frames.values()]
}
