// Stores what runs of one worker wrote in one tick: all of it or, without the lease, nothing.
import type { RunNodeError } from '#core/run-facts.ts'
import type { BegunStep, EndedStep } from '#core/step-states.ts'
import type { Db, Tx } from '../db.ts'
import type { Claim } from '../tables/claims.ts'
import type { RecordRunEnd } from '../tables/deliveries.ts'
import { endedRun } from '../tables/ended-run.ts'
import {
  type FinishedRun,
  finishRuns,
  type RunEnd,
  type RunSnapshot,
  showProgress,
  storeNodeErrors,
} from '../tables/run-progress.ts'
import { findRunsToCancel } from '../tables/run-work.ts'
import { findRunsById } from '../tables/runs.ts'
import type { StepRecord, Steps } from '../tables/steps.ts'
import { holdLease, writeUnderLease } from '../tables/workers.ts'

/** What runs of one worker have to write, by kind. */
export type RunBatch = {
  begun: readonly { step: BegunStep }[]
  ended: readonly { step: EndedStep }[]
  errors: readonly { claim: Claim; nodeErrors: readonly RunNodeError[] }[]
  shown: readonly { claim: Claim; snapshot: RunSnapshot }[]
  finished: readonly { claim: Claim; end: RunEnd }[]
}

/** Whether some run that ends may have a webhook. It must be known before the batch is taken. */
export type BatchOptions = { hasWebhook: boolean }

export type RunsWritten = {
  /** Runs of this worker that somebody asked to cancel, even if nothing was written about them. */
  toCancel: readonly { id: string }[]
  /** Runs whose errors were stored before any request to cancel. */
  failed: readonly { id: string }[]
  /** Those missing have another owner, or had ended before. */
  ended: readonly FinishedRun[]
}

export type RunWrites = {
  db: Db
  steps: Pick<Steps, 'record' | 'forget'>
  recordRunEnd: RecordRunEnd
}

export async function writeRuns(
  { db, steps, recordRunEnd }: RunWrites,
  workerId: string,
  take: () => RunBatch,
  { hasWebhook }: BatchOptions,
): Promise<RunsWritten> {
  let record: StepRecord | undefined
  /** Sent together and executed in this order. */
  const statements = () => {
    const { begun, ended, errors, shown, finished } = take()
    record = steps.record(
      begun.map(({ step }) => step),
      ended.map(({ step }) => step),
    )
    // The latest snapshot contains the earlier ones.
    const latest = new Map(shown.map((entry) => [entry.claim.id, entry]))
    return [
      findRunsToCancel(workerId),
      storeNodeErrors(errors),
      showProgress(db.dialect, [...latest.values()]),
      finishRuns(db.dialect, finished),
      ...record.statements,
    ] as const
  }
  type Written = Awaited<ReturnType<typeof plainly>>
  const plainly = () => writeUnderLease(db, workerId, statements)
  /** Deliveries of webhooks are stored with the ends of their runs. */
  const withWebhooks = async (tx: Tx): Promise<Written> => {
    const [, ...written] = (await Promise.all([
      holdLease(tx, workerId),
      ...statements().map((statement) => tx.run<unknown>(statement)),
    ])) as unknown as [unknown, ...Written]
    const notified = written[3].filter((run) => run.callback_url !== null).map((run) => run.id)
    const rows = await findRunsById(tx, notified)
    await recordRunEnd(tx, ...rows.map(endedRun))
    return written
  }
  try {
    const written = await (hasWebhook ? db.transaction(withWebhooks) : plainly())
    record?.settle(true)
    const [toCancel, failed, , ended] = written
    return { toCancel, failed, ended }
  } catch (error) {
    record?.settle(false)
    throw error
  }
}
