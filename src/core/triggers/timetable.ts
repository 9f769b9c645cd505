// When a trigger fires: occurrences are nominal UTC instants, in order and without end or until one.
// Pure: the same timetable always has the same occurrences, whoever asks and however late.
import { hash } from 'node:crypto'
import type { TimeZone } from '../time-zone.ts'
import { type CronRule, cronInstants } from './cron.ts'

export type Timetable = {
  /** The first occurrence after this time; null if there is none within five years. */
  next(afterMs: number): number | null
  /** All after `afterMs` until `untilMs`: how many, the first, and the newest `keep` in order. */
  between(
    span: { afterMs: number; untilMs: number },
    keep: number,
  ): { count: number; firstMs: number | null; newest: readonly number[] }
}

/** A timetable without an occurrence in this time has none. */
export const horizonMs = 5 * 366 * 24 * 3_600_000

const never = { count: 0, firstMs: null, newest: [] }

export const atOnce = (atMs: number): Timetable => ({
  next: (afterMs) => (atMs > afterMs ? atMs : null),
  between: ({ afterMs, untilMs }) =>
    atMs > afterMs && atMs <= untilMs ? { count: 1, firstMs: atMs, newest: [atMs] } : never,
})

/** Computed from the start, so that it never drifts. */
export function everyMs(intervalMs: number, startMs: number, endMs: number | null): Timetable {
  const firstAfter = (afterMs: number) =>
    startMs + Math.max(0, Math.floor((afterMs - startMs) / intervalMs) + 1) * intervalMs
  return {
    next(afterMs) {
      const nextMs = firstAfter(afterMs)
      return isWithin(nextMs, afterMs, endMs) ? nextMs : null
    },
    between({ afterMs, untilMs }, keep) {
      const firstMs = firstAfter(afterMs)
      const lastMs = Math.min(untilMs, endMs ?? untilMs)
      const count = Math.floor((lastMs - firstMs) / intervalMs) + 1
      if (count <= 0) return never
      const kept = Math.min(count, keep)
      const oldest = firstMs + (count - kept) * intervalMs
      return {
        count,
        firstMs,
        newest: Array.from({ length: kept }, (_, i) => oldest + i * intervalMs),
      }
    },
  }
}

export const byCron = (rule: CronRule, zone: TimeZone, endMs: number | null): Timetable => ({
  next(afterMs) {
    const untilMs = Math.min(afterMs + horizonMs, endMs ?? Number.POSITIVE_INFINITY)
    const { value } = cronInstants(rule, zone, { afterMs, untilMs }).next()
    return value ?? null
  },
  between({ afterMs, untilMs }, keep) {
    const span = { afterMs, untilMs: Math.min(untilMs, endMs ?? untilMs) }
    let count = 0
    let firstMs: number | null = null
    const newest: number[] = []
    for (const atMs of cronInstants(rule, zone, span)) {
      firstMs ??= atMs
      newest[count % keep] = atMs
      count++
    }
    const turn = count > keep ? count % keep : 0
    return { count, firstMs, newest: [...newest.slice(turn), ...newest.slice(0, turn)] }
  },
})

const isWithin = (atMs: number, afterMs: number, endMs: number | null) =>
  atMs <= afterMs + horizonMs && (endMs === null || atMs <= endMs)

/** How long after its instant an occurrence fires: up to `jitterMs`, always the same. */
export function jitterOf(triggerId: string, occurrenceMs: number, jitterMs: number): number {
  if (jitterMs === 0) return 0
  const digits = hash('sha256', `${triggerId} ${occurrenceMs}`).slice(0, 12)
  return Number.parseInt(digits, 16) % (jitterMs + 1)
}
