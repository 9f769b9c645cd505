import type { Clock } from '#core/clock.ts'
import type { RunNodeError } from '#core/run-facts.ts'
import type { Db } from '#store/db.ts'
import type { RecordRunEnd } from '#store/tables/deliveries.ts'
import { endedRun } from '#store/tables/ended-run.ts'
import type { FinishedRun } from '#store/tables/run-progress.ts'
import { failOverdueRuns } from '#store/tables/run-work.ts'

/** Ends runs that waited in the queue for too long. */
export async function endOverdueRuns(options: {
  db: Db
  clock: Clock
  recordRunEnd: RecordRunEnd
  onEnded?(run: FinishedRun): void
}): Promise<void> {
  const { db, recordRunEnd } = options
  const nowMs = options.clock.nowMs()
  const ended = await db.transaction(async (tx) => {
    const rows = await failOverdueRuns(tx, nowMs, tooLongInQueue(nowMs))
    await recordRunEnd(tx, ...rows.map(endedRun))
    return rows
  })
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
