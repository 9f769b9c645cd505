import { createBoundedMap } from '#core/bounded-map.ts'
import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { Waits } from '#store/engine-store.ts'

/** Counting takes some milliseconds where many sleep, so a count serves for a while. */
const countedForMs = 10_000
const maxAccounts = 10_000

/** Refuses runs that may sleep, once so many of the account do. */
export function createSleeperLimit(
  waits: Pick<Waits, 'countAsleep'>,
  clock: Clock,
  max: number,
): (accountId: string) => Promise<void> {
  const counts = createBoundedMap<{ count: number; atMs: number }>({ maxEntries: maxAccounts })
  return async (accountId) => {
    const known = counts.get(accountId)
    const nowMs = clock.nowMs()
    const isFresh = known && nowMs >= known.atMs && nowMs - known.atMs < countedForMs
    const count = isFresh ? known.count : await waits.countAsleep(accountId, max)
    if (!isFresh) counts.set(accountId, { count, atMs: nowMs })
    if (count < max) return
    const message = `At most ${max} runs of an account may sleep.`
    throw new Failure('QUOTA_EXCEEDED', { message, retryAfterSeconds: countedForMs / 1000 })
  }
}
