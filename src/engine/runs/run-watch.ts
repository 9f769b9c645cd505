import type { TimedClock } from '#core/clock.ts'
import { coalesce } from '#core/coalesce.ts'
import { RunCancelled } from '#core/interruptions.ts'
import type { RunNodeError } from '#core/run-facts.ts'
import type { ClaimedRun, FinishedRun } from '#store/engine-store.ts'
import type { Lease, LeaseKeeper } from '../work/lease-keeper.ts'
import { snapshotOf } from './finish-run.ts'
import { takeInLate } from './late-calls.ts'
import type { RunDeps, RunWork, WorkingRuns } from './run-deps.ts'
import { RunTimeUp } from './run-halt.ts'

type RunWatchOptions = Pick<RunDeps, 'runs' | 'reuse' | 'payloads' | 'mediaUrls'> & {
  clock: TimedClock
  keeper: Pick<LeaseKeeper, 'current'>
  onEnded?(run: FinishedRun): void
  onError(error: unknown): void
}

export type RunWatch = {
  tick(): void
  /** Stops the runs of this worker whose cancellation was requested. */
  stopCancelled(): Promise<void>
  /** Claims released runs that only have to be ended and need no slot; looks only now and then. */
  claimStopped(lease: Lease): Promise<readonly ClaimedRun[]>
}

/** How often time limits are checked and progress is stored. */
export const tickMs = 500
const ticksPerRound = 10
const showAfterMs = 400
const endedPerRound = 100

/** Watches executing runs: time limits, cancellations, progress, costs that arrive late. */
export function createRunWatch(options: RunWatchOptions, working: WorkingRuns): RunWatch {
  const { runs, clock, keeper } = options
  let ticks = 0
  let isAsking = false
  let isEndingDue = false

  const look = async () => {
    if (working.size === 0) return
    for (const id of await runs.toCancel(keeper.current().workerId)) {
      working.get(id)?.halt.stop(new RunCancelled())
    }
  }
  const { run: stopCancelled } = coalesce(look, { timers: clock })

  const askStore = async () => {
    isAsking = true
    try {
      await stopCancelled()
      await takeInLate(options)
      if (ticks++ % ticksPerRound === 0) {
        const nowMs = clock.nowMs()
        const ended = await runs.failOverdue(nowMs, tooLongInQueue(nowMs))
        for (const run of ended) options.onEnded?.(run)
        isEndingDue = true
      }
    } catch (error) {
      options.onError(error)
    }
    isAsking = false
  }

  return {
    stopCancelled,
    /** What needs only memory keeps its pace, however slow the database is. */
    tick() {
      const nowMs = clock.nowMs()
      for (const work of working.values()) watch(work, nowMs)
      // One at a time: on a slow database, queries would pile up.
      if (!isAsking) void askStore()
    },
    async claimStopped({ workerId }) {
      if (!isEndingDue) return []
      isEndingDue = false
      return runs.claimStopped(workerId, { limit: endedPerRound, nowMs: clock.nowMs() })
    },
  }
}

function watch(work: RunWork, nowMs: number) {
  if (nowMs > work.row.deadline_at) work.halt.stop(new RunTimeUp())
  const isNew = nowMs - (work.row.started_at ?? nowMs) < showAfterMs
  if (!work.isChanged || work.isBeingShown || isNew || work.halt.reason) return
  work.isChanged = false
  work.isBeingShown = true
  const isShown = () => {
    work.isBeingShown = false
  }
  work.journal?.show(work.claim, snapshotOf(work)).then(isShown, work.halt.stop)
}

const tooLongInQueue = (nowMs: number): RunNodeError[] => [
  {
    nodeId: '',
    type: 'run',
    code: 'RUN_TIMEOUT',
    message: 'The run waited too long for its turn. Nothing was started.',
    retryable: true,
    at: new Date(nowMs).toISOString(),
  },
]
