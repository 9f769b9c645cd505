// How long a lane will take to reach a call, from how quickly it let the last ones go. An estimate:
// it knows the calls of this process only.
import type { Clock, Timers } from '#core/clock.ts'
import type { LaneLimits } from '#core/lane.ts'

export type LaneForecast = {
  /** One more call of the batch was let go. */
  admitted(): void
  /** For the next call of the batch, if so many go before it. */
  waitMs(before: number, limits: LaneLimits): number
  /** Comes back after so long. */
  leave(call: { accountId: string }, ms: number): void
  /** Calls that have left and will come back, by account. */
  away(): ReadonlyMap<string, number>
}

const lookedAt = 32
/** Of a lane that is only limited in calls at once, before any has been let go. */
const guessedMs = 1_000
const usedShare = 0.87

export function createLaneForecast(clock: Clock & Pick<Timers, 'monotonicMs'>): LaneForecast {
  const admittedMs: number[] = []
  let left: { accountId: string; dueMs: number }[] = []

  function eachMs({ requestsPerMinute }: LaneLimits): number {
    const [firstMs] = admittedMs
    if (firstMs !== undefined && admittedMs.length > 1) {
      return (clock.monotonicMs() - firstMs) / admittedMs.length
    }
    return requestsPerMinute === undefined ? guessedMs : 60_000 / (requestsPerMinute * usedShare)
  }

  return {
    admitted() {
      admittedMs.push(clock.monotonicMs())
      if (admittedMs.length > lookedAt) admittedMs.shift()
    },
    waitMs: (before, limits) => (before + 1) * eachMs(limits),
    leave({ accountId }, ms) {
      left.push({ accountId, dueMs: clock.monotonicMs() + ms })
    },
    away() {
      const nowMs = clock.monotonicMs()
      left = left.filter(({ dueMs }) => dueMs > nowMs)
      const counts = new Map<string, number>()
      for (const { accountId } of left) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
      return counts
    },
  }
}
