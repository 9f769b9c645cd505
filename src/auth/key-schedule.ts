const hourMs = 3_600_000

/** How long one key signs. */
const signMs = 30 * 24 * hourMs
/**
 * A key is published before it signs, because verifiers elsewhere cache our key set. We guarantee
 * an hour and normally give a day.
 */
const publishAheadMs = 24 * hourMs
const minPublishedMs = hourMs
/** Longer than any token lives plus clock skew, including that between our own processes. */
const keepAfterMs = hourMs

export type ScheduledKey = { sequence: number; activeFromMs: number }

/** Decides which key to create and which to delete. `keys` must be sorted by sequence. */
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
  // A key can be deleted once its successor has been signing for `keepAfterMs`.
  const successor = keys.findLast((key) => nowMs >= key.activeFromMs + keepAfterMs)
  const hasOlder = successor !== undefined && keys[0] !== successor
  return { create, deleteBefore: hasOlder ? successor.sequence : null }
}

/**
 * The key to sign with. If another process with a faster clock created the first key, it may not
 * be active yet by our clock; it is used anyway, because there is no other.
 */
export const signingKeyAt = <K extends ScheduledKey>(
  keys: readonly K[],
  nowMs: number,
): K | undefined => keys.findLast((key) => key.activeFromMs <= nowMs) ?? keys[0]
