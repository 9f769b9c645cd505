const units: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** "3 minutes ago", "in 2 days"; under a minute "just now" or "in a moment". */
export function relativeTime(atMs: number, nowMs: number, locale: string): string {
  const distance = atMs - nowMs
  const [unit, size] = units.find(([, ms]) => Math.abs(distance) >= ms) ?? []
  if (!unit || !size) return distance > 0 ? 'in a moment' : 'just now'
  return new Intl.RelativeTimeFormat(locale, { numeric: 'always' }).format(
    Math.trunc(distance / size),
    unit,
  )
}

/** Date and time in full, for a tooltip. */
export const fullTime = (atMs: number, locale: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(atMs)

/** "14:03", as in "since 14:03". */
export const clockTime = (atMs: number, locale: string): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(atMs)

/** "850 ms", "4.2 s", "3 min 05 s", "2 h 10 min". */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600)
    return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}
