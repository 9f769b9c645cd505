import { delay } from '#core/clock.ts'
import { StoreUnavailable } from '#store/db.ts'
import { LeaseLost, releaseUnfinished } from '#store/tables/tasks.ts'
import type { TaskError } from './provider-failure.ts'
import type { TaskParts, TaskWork } from './task-work.ts'
import { recordFailure } from './task-writes.ts'

// As many as a run has (runs/release-run.ts), for the same reason.
const maxReleases = 5
const firstPauseMs = 2_000

const quarantined: TaskError = {
  code: 'QUARANTINED',
  message: `The task could not go on ${maxReleases} times in a row and was stopped. The server's log says why.`,
  retryable: false,
}

/**
 * After an error nobody foresaw: without this the task would stay ours, and idle, for ever. One
 * that no worker can go on with fails after a few times; a store that is away does not count.
 */
export async function releaseOrFail(parts: TaskParts, work: TaskWork, error: unknown) {
  if (error instanceof LeaseLost) return
  const { row, lease } = work
  // Said once: the next workers meet the same.
  if (row.releases === 0) parts.onError(error, row.id)
  const releases = row.releases + (error instanceof StoreUnavailable ? 0 : 1)
  const pauseMs = Math.round(firstPauseMs * 2 ** row.releases * (0.75 + 0.5 * parts.random()))
  const until = AbortSignal.any([work.lost, work.stopping])
  while (!until.aborted) {
    try {
      if (releases < maxReleases) {
        const runAtMs = parts.clock.nowMs() + pauseMs
        return await parts.db.transaction((tx) =>
          releaseUnfinished(tx, lease, { runAtMs, releases }),
        )
      }
      const outcome = row.stage === 'READY' ? 'REJECTED' : 'UNKNOWN'
      await recordFailure(parts, work, quarantined, outcome)
      return parts.onQuarantined?.('task')
    } catch (failure) {
      if (failure instanceof LeaseLost) return
      await delay(firstPauseMs, until).catch(() => undefined)
    }
  }
}
