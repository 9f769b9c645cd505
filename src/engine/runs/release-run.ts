import type { Claim, ClaimedRun, FinishedRun } from '#store/engine-store.ts'
import type { Lease } from '../work/lease-keeper.ts'
import { maxReleases, releaseOrQuarantine, untilWritten } from '../work/release.ts'
import { runError } from './execute-run.ts'
import { maxDeaths } from './resumptions.ts'
import type { RunDeps } from './run-deps.ts'

/** What ending or releasing a claimed run needs. */
export type ReleaseScope = {
  deps: RunDeps
  lease: Lease
  onEnded(run: FinishedRun): void
  onQuarantined(kind: 'run'): void
}

/** `isCounted`: the run itself may be at fault, rather than the store or a lack of memory. */
export function releaseClaimed(
  scope: ReleaseScope,
  { id, epoch, releases }: ClaimedRun,
  { isCounted }: { isCounted: boolean },
): Promise<void> {
  const { deps, lease } = scope
  const claim = { id, owner: lease.workerId, epoch }
  return releaseOrQuarantine(
    {
      ...{ releases, isCounted },
      release: (next) => deps.runs.release(claim, next),
      quarantine: () => quarantine(scope, claim, failedToContinue),
    },
    { ...deps, until: AbortSignal.any([lease.lost, deps.stopping]) },
  )
}

/** For a run whose workers died again and again: it is ended without being executed. */
export function quarantineClaimed(scope: ReleaseScope, { id, epoch }: ClaimedRun): Promise<void> {
  const { deps, lease } = scope
  const claim = { id, owner: lease.workerId, epoch }
  const message = `The server ended ${maxDeaths} times in a row soon after it had continued this run, so the run was stopped.`
  const until = AbortSignal.any([lease.lost, deps.stopping])
  return untilWritten(() => quarantine(scope, claim, message), { clock: deps.clock, until })
}

const failedToContinue = `The run failed to continue ${maxReleases} times in a row and was stopped. The server's log says why.`

async function quarantine(scope: ReleaseScope, claim: Claim, message: string): Promise<void> {
  const { deps } = scope
  const error = runError(deps, { code: 'QUARANTINED', message, retryable: false })
  for (const run of await deps.runs.quarantine(claim, deps.clock.nowMs(), [error])) {
    scope.onEnded(run)
    scope.onQuarantined('run')
  }
}
