import { LeaseLost } from '#core/interruptions.ts'
import { StoreUnavailable } from '#store/engine-store.ts'
import type { TaskError } from '../calls/provider-failure.ts'
import { maxReleases, releaseOrQuarantine } from '../work/release.ts'
import type { TaskDeps, TaskWork } from './task-work.ts'
import { recordFailure } from './task-writes.ts'

const quarantined: TaskError = {
  code: 'QUARANTINED',
  message: `The task failed to continue ${maxReleases} times in a row and was stopped. The server's log says why.`,
  retryable: false,
}

/** After an unforeseen error. Without this the task would stay claimed and idle for ever. */
export async function releaseTask(deps: TaskDeps, work: TaskWork, error: unknown): Promise<void> {
  if (error instanceof LeaseLost) return
  const { row, claim } = work
  // Reported once: the next workers will meet the same error.
  if (row.releases === 0) deps.onError(error, row.id)
  await releaseOrQuarantine(
    {
      releases: row.releases,
      isCounted: !(error instanceof StoreUnavailable),
      release: (next) => deps.tasks.release(claim, next),
      async quarantine() {
        const outcome = row.stage === 'READY' ? 'REJECTED' : 'UNKNOWN'
        await recordFailure(deps, work, quarantined, outcome)
        deps.onQuarantined?.('task')
      },
    },
    { ...deps, until: AbortSignal.any([work.lost, work.stopping]) },
  )
}
