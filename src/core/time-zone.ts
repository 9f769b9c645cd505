// Calendar days in a time zone. A zone is treated as a sequence of spans with a constant offset
// from UTC, so that days on which the clocks change come out right.

export type TimeZone = {
  /** The name in the tz database. */
  name: string
  /** How far local time is ahead of UTC. */
  offsetMs(atMs: number): number
}

/** Includes `fromMs`, excludes `toMs`. */
export type OffsetSpan = { fromMs: number; toMs: number; offsetMs: number }

const minuteMs = 60_000
export const dayMs = 24 * 60 * minuteMs

// Intl also accepts offsets such as "+05:30", which are not zones, and names in any letter case.
const zoneName = /^[A-Za-z][A-Za-z0-9_+-]{0,30}(?:\/[A-Za-z0-9_+-]{1,30}){0,2}$/

/** Null if the tz database has no zone of this name. */
export function openTimeZone(name: string): TimeZone | null {
  if (!zoneName.test(name)) return null
  try {
    return zoneOf(
      new Intl.DateTimeFormat('en-US', {
        timeZone: name,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      }),
    )
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function zoneOf(format: Intl.DateTimeFormat): TimeZone {
  return {
    name: format.resolvedOptions().timeZone,
    offsetMs(atMs) {
      const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, +value]))
      const [year = 0, month = 1, day, hour, minute, second] = (
        ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
      ).map((type) => parts.get(type))
      const localMs = Date.UTC(year, month - 1, day, hour, minute, second)
      return localMs - Math.floor(atMs / 1000) * 1000
    },
  }
}

/** The spans of constant offset between two times, oldest first. */
export function offsetSpans(zone: TimeZone, fromMs: number, toMs: number): OffsetSpan[] {
  const spans: OffsetSpan[] = []
  let span = { fromMs, toMs, offsetMs: zone.offsetMs(fromMs) }
  // No zone changes its clocks twice within a day.
  for (let atMs = fromMs; atMs < toMs; atMs += dayMs) {
    const nextMs = Math.min(atMs + dayMs, toMs)
    const offsetMs = zone.offsetMs(nextMs)
    if (offsetMs === span.offsetMs) continue
    const changeMs = changeBetween(zone, atMs, nextMs)
    spans.push({ ...span, toMs: changeMs })
    span = { fromMs: changeMs, toMs, offsetMs }
  }
  return [...spans, span].filter((one) => one.fromMs < one.toMs)
}

/** Finds the change by bisection. Clocks change on a whole minute. */
export function changeBetween(zone: TimeZone, fromMs: number, toMs: number): number {
  const before = zone.offsetMs(fromMs)
  let low = Math.floor(fromMs / minuteMs)
  let high = Math.ceil(toMs / minuteMs)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (zone.offsetMs(middle * minuteMs) === before) low = middle
    else high = middle
  }
  return high * minuteMs
}

/** Days since 1970-01-01 in the calendar of the zone. */
export const dayIndexAt = (zone: TimeZone, atMs: number): number =>
  Math.floor((atMs + zone.offsetMs(atMs)) / dayMs)

export const dayIndexOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs

export const dateOf = (dayIndex: number): string =>
  new Date(dayIndex * dayMs).toISOString().slice(0, 10)

/** The start of a day. This is not always midnight: a zone's clock change may skip it. */
export function startOfDay(zone: TimeZone, dayIndex: number): number {
  const utcMs = dayIndex * dayMs
  for (const { fromMs, toMs, offsetMs } of offsetSpans(zone, utcMs - dayMs, utcMs + dayMs)) {
    const startMs = Math.max(fromMs, utcMs - offsetMs)
    if (startMs < toMs) return startMs
  }
  return utcMs
}
