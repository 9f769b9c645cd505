// Where the inbox goes next. Pure.
import type { WaitSummary } from '#console/api/types.ts'

type Place = Pick<WaitSummary, 'waitId' | 'runId'>

/** The one after this, or before it at the end; null if it is the only one. */
export function nextAfter<T extends Place>(items: readonly T[], waitId: string): T | null {
  const index = items.findIndex((item) => item.waitId === waitId)
  return items[index + 1] ?? items[index - 1] ?? null
}

/** `by` steps away, within the list. */
export function stepFrom<T extends Place>(
  items: readonly T[],
  waitId: string | undefined,
  by: 1 | -1,
): T | null {
  const index = items.findIndex((item) => item.waitId === waitId)
  if (index === -1) return items[0] ?? null
  return items[Math.min(Math.max(index + by, 0), items.length - 1)] ?? null
}
