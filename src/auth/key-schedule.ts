const hourMs = 3_600_000

/** How long one key signs. */
const signMs = 30 * 24 * hourMs
/** Verifiers elsewhere may cache our keys for long; an hour is the promise, a day is the plan. */
const publishAheadMs = 24 * hourMs
const minPublishedMs = hourMs
/** Longer than the longest token, its skew, and clocks that differ between processes. */
const keepAfterMs = hourMs

export type ScheduledKey = { sequence: number; activeFromMs: number }

/** What the table of keys lacks and what it no longer needs. Keys are in order of sequence. */
export function planRotation(
  keys: readonly ScheduledKey[],
  nowMs: number,
): { create: ScheduledKey | null; deleteBefore: number | null } {
  const newest = keys.at(-1)
  if (!newest) return { create: { sequence: 1, activeFromMs: nowMs }, deleteBefore: null }
  const dueMs = newest.activeFromMs + signMs
  const create =
    nowMs >= dueMs - publishAheadMs
      ? { sequence: newest.sequence + 1, activeFromMs: Math.max(dueMs, nowMs + minPublishedMs) }
      : null
  // A key is done once its successor has signed for long enough.
  const successor = keys.findLast((key) => nowMs >= key.activeFromMs + keepAfterMs)
  const hasOlder = successor !== undefined && keys[0] !== successor
  return { create, deleteBefore: hasOlder ? successor.sequence : null }
}

/** The key to sign with. Another process may have made the first one by a faster clock. */
export const signingKeyAt = <K extends ScheduledKey>(
  keys: readonly K[],
  nowMs: number,
): K | undefined => keys.findLast((key) => key.activeFromMs <= nowMs) ?? keys[0]
