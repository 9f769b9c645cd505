// Stores what runs of one worker wrote in one tick: all of it or, without the lease, nothing.
import type { RunNodeError } from '#core/run-facts.ts'
import type { BegunStep, EndedStep } from '#core/step-states.ts'
import type { Db, OnFailed, Statement, Tx } from '../db.ts'
import type { Claim } from '../tables/claims.ts'
import type { RecordRunEnd } from '../tables/deliveries.ts'
import { dropUnsentOf } from '../tables/economy-calls.ts'
import { endedRun } from '../tables/ended-run.ts'
import {
  type FinishedRun,
  finishRuns,
  type RunEnd,
  type RunSleep,
  type RunSnapshot,
  showProgress,
  sleepRuns,
  storeNodeErrors,
} from '../tables/run-progress.ts'
import { findRunsToCancel } from '../tables/run-work.ts'
import { findRunsById } from '../tables/runs.ts'
import type { StepRecord, Steps } from '../tables/steps.ts'
import type { RecordWaiting } from '../tables/waiting-events.ts'
import { closeWaitsOfRuns, type NewWait, type OpenedWait, openWaits } from '../tables/waits.ts'
import { holdLease, writeUnderLease } from '../tables/workers.ts'

/** What runs of one worker have to write, by kind. */
export type RunBatch = {
  begun: readonly { step: BegunStep }[]
  ended: readonly { step: EndedStep }[]
  errors: readonly { claim: Claim; nodeErrors: readonly RunNodeError[]; hasWaits: boolean }[]
  shown: readonly { claim: Claim; snapshot: RunSnapshot }[]
  finished: readonly { claim: Claim; end: RunEnd }[]
  /** Their steps begin with them. */
  opened: readonly { step: BegunStep; wait: NewWait }[]
  asleep: readonly { claim: Claim; sleep: RunSleep }[]
}

/** Whether some run that ends may have a webhook. It must be known before the batch is taken. */
export type BatchOptions = OnFailed & { hasWebhook: boolean }

export type RunsWritten = {
  /** Runs of this worker that somebody asked to cancel, even if nothing was written about them. */
  toCancel: readonly { id: string }[]
  /** Runs whose errors were stored before any request to cancel. */
  failed: readonly { id: string }[]
  /** Those missing have another owner, or had ended before. */
  ended: readonly FinishedRun[]
  /** Runs that are released and sleep now. */
  asleep: readonly { id: string }[]
  opened: readonly OpenedWait[]
}

export type RunWrites = {
  db: Db
  steps: Pick<Steps, 'record' | 'forget'>
  recordRunEnd: RecordRunEnd
  recordWaiting?: RecordWaiting
}

/** They have failed or ended, so that nobody needs to answer them any more. */
function runsThatWaited({ errors, finished }: Pick<RunBatch, 'errors' | 'finished'>): string[] {
  const ids: string[] = []
  for (const { claim, hasWaits } of errors) if (hasWaits) ids.push(claim.id)
  for (const { claim, end } of finished) if (end.hasWaits) ids.push(claim.id)
  return ids
}

const noSleep: Statement<{ id: string }> = { sql: 'select 1', rows: [] }
const noWaits: Statement<OpenedWait> = { sql: 'select 1', rows: [] }

export async function writeRuns(
  { db, steps, recordRunEnd, recordWaiting }: RunWrites,
  workerId: string,
  take: () => RunBatch,
  { hasWebhook, onFailed }: BatchOptions,
): Promise<RunsWritten> {
  let record: StepRecord | undefined
  /** Sent together and executed in this order. */
  const statements = () => {
    const { begun, ended, errors, shown, finished, opened, asleep } = take()
    const beginning = opened.length === 0 ? begun : [...begun, ...opened]
    // A transaction may be executed again, and what the first time recorded is not stored.
    record?.settle(false)
    record = steps.record(
      beginning.map(({ step }) => step),
      ended.map(({ step }) => step),
    )
    // The latest snapshot contains the earlier ones.
    const latest = new Map(shown.map((entry) => [entry.claim.id, entry]))
    const waited = runsThatWaited({ errors, finished })
    return [
      findRunsToCancel(workerId),
      storeNodeErrors(errors),
      showProgress(db.dialect, [...latest.values()]),
      finishRuns(db.dialect, finished),
      // Most batches have none of these. Waits come after their runs, as in every transaction.
      opened.length > 0
        ? openWaits(
            db.dialect,
            opened.map(({ wait }) => wait),
          )
        : noWaits,
      // After those of the same batch have been opened.
      closeWaitsOfRuns(db.dialect, waited),
      dropUnsentOf(db.dialect, waited),
      ...record.statements,
      // With everything that the run has written, and nothing after it.
      asleep.length > 0 ? sleepRuns(db.dialect, asleep) : noSleep,
    ] as const
  }
  type Written = Awaited<ReturnType<typeof plainly>>
  const plainly = () => writeUnderLease(db, workerId, statements, { onFailed })
  /** Deliveries of webhooks are stored with the ends of their runs. */
  const withWebhooks = async (tx: Tx): Promise<Written> => {
    const [, ...written] = (await Promise.all([
      holdLease(tx, workerId),
      ...statements().map((statement) => tx.run<unknown>(statement)),
    ])) as unknown as [unknown, ...Written]
    const notified = written[3].filter((run) => run.callback_url !== null).map((run) => run.id)
    const rows = await findRunsById(tx, notified)
    await recordRunEnd(tx, ...rows.map(endedRun))
    const opened = written[4].map(({ id }) => id)
    await recordWaiting?.(tx, opened)
    return written
  }
  try {
    const written = await (hasWebhook ? db.transaction(withWebhooks, { onFailed }) : plainly())
    record?.settle(true)
    const [toCancel, failed, , ended, opened] = written
    const asleep = written.at(-1) as { id: string }[]
    return { toCancel, failed, ended, asleep, opened }
  } catch (error) {
    record?.settle(false)
    throw error
  }
}
