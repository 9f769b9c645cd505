import type { Clock } from '#core/clock.ts'

/** How long a process relies on what it has counted itself. */
const recountMs = 60_000

/**
 * Counts in memory what an account keeps, so that not every answer has to add it all up. Several
 * processes may exceed a limit by what they write until they count anew.
 */
export function createCountedBytes(clock: Clock, sizeOf: (accountId: string) => Promise<number>) {
  const sums = new Map<string, { bytes: number; countedAtMs: number }>()
  return {
    /** Returns how much the account has with these. */
    async add(accountId: string, bytes: number): Promise<number> {
      const nowMs = clock.nowMs()
      let sum = sums.get(accountId)
      if (!sum || nowMs - sum.countedAtMs > recountMs) {
        for (const [id, { countedAtMs }] of sums) {
          if (nowMs - countedAtMs > recountMs) sums.delete(id)
        }
        sum = { bytes: await sizeOf(accountId), countedAtMs: nowMs }
        sums.set(accountId, sum)
      }
      sum.bytes += bytes
      return sum.bytes
    },
    forget: (accountId: string) => void sums.delete(accountId),
  }
}
