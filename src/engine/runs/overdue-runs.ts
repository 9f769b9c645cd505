import type { Clock } from '#core/clock.ts'
import type { RunNodeError } from '#core/run-facts.ts'
import type { FinishedRun, Runs } from '#store/engine-store.ts'

/** Ends runs that waited in the queue for too long. */
export async function endOverdueRuns(options: {
  runs: Pick<Runs, 'failOverdue'>
  clock: Clock
  onEnded?(run: FinishedRun): void
}): Promise<void> {
  const nowMs = options.clock.nowMs()
  const ended = await options.runs.failOverdue(nowMs, tooLongInQueue(nowMs))
  for (const run of ended) options.onEnded?.(run)
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
