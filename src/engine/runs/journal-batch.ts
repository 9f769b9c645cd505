// One batch of the run journal: its entries, the statements they become, and their answers.
import { Interruption, LeaseLost, RunCancelled } from '#core/interruptions.ts'
import type { RunNodeError } from '#core/run-facts.ts'
import type { BegunStep, EndedStep } from '#core/step-states.ts'
import { type Db, type RowsOf, StoreUnavailable } from '#store/db.ts'
import type { Claim } from '#store/tables/claims.ts'
import type { RecordRunEnd } from '#store/tables/deliveries.ts'
import { endedRun } from '#store/tables/ended-run.ts'
import {
  type FinishedRun,
  finishRuns,
  type RunEnd,
  type RunSnapshot,
  showProgress,
  storeNodeErrors,
} from '#store/tables/run-progress.ts'
import { findRunsToCancel } from '#store/tables/run-work.ts'
import { findRunsById } from '#store/tables/runs.ts'
import type { Steps } from '#store/tables/steps.ts'
import { holdLease, writeUnderLease } from '#store/tables/workers.ts'

/** The store refused a batch. It is unknown which entry was at fault, so all are rejected. */
export class NotWritten extends Interruption {
  override name = 'NotWritten'
  constructor(cause: unknown) {
    super('what the run had to write was refused', { cause })
  }
}

export type Entry<Content, Answer = void> = Content & {
  resolve(value: Answer): void
  reject(error: unknown): void
}

/** Entries that are written together, by kind. */
export type Batch = {
  /** Some run that ends in this batch may have a webhook, whose delivery is stored with it. */
  hasWebhook: boolean
  begun: Entry<{ step: BegunStep }>[]
  ended: Entry<{ step: EndedStep }>[]
  errors: Entry<{ claim: Claim; nodeErrors: readonly RunNodeError[] }, boolean>[]
  shown: Entry<{ claim: Claim; snapshot: RunSnapshot }>[]
  finished: Entry<{ claim: Claim; end: RunEnd }, FinishedRun>[]
  /** Called once it is known whether its steps were stored. */
  settle(isStored: boolean): void
}

export type BatchOptions = {
  db: Db
  steps: Steps
  workerId: string
  recordRunEnd: RecordRunEnd
}

export const newBatch = (hasWebhook: boolean): Batch => ({
  hasWebhook,
  begun: [],
  ended: [],
  errors: [],
  shown: [],
  finished: [],
  settle() {},
})

export function rejectBatch(
  { begun, ended, errors, shown, finished, settle }: Batch,
  error: unknown,
): void {
  settle(false)
  const isForeseen = error instanceof StoreUnavailable || error instanceof LeaseLost
  const reason = isForeseen ? error : new NotWritten(error)
  for (const entry of [begun, ended, errors, shown, finished].flat()) entry.reject(reason)
}

/** Sent together and executed in this order. */
function statementsOf(batch: Batch, { db, steps, workerId }: BatchOptions) {
  const { begun, ended, errors, shown, finished } = batch
  const { dialect } = db
  const record = steps.record(
    begun.map(({ step }) => step),
    ended.map(({ step }) => step),
  )
  batch.settle = record.settle
  // The latest snapshot contains the earlier ones.
  const latest = new Map(shown.map((entry) => [entry.claim.id, entry]))
  return [
    findRunsToCancel(workerId),
    storeNodeErrors(errors),
    showProgress(dialect, [...latest.values()]),
    finishRuns(dialect, finished),
    ...record.statements,
  ] as const
}
export type Written = RowsOf<ReturnType<typeof statementsOf>>

export const writeBatch = (take: () => Batch, options: BatchOptions): Promise<Written> =>
  writeUnderLease(options.db, options.workerId, () => statementsOf(take(), options))

/** Deliveries of webhooks are stored with the ends of their runs. */
export const writeWithWebhooks = (take: () => Batch, options: BatchOptions): Promise<Written> =>
  options.db.transaction(async (tx) => {
    const { workerId } = options
    const [, ...written] = (await Promise.all([
      holdLease(tx, workerId),
      ...statementsOf(take(), options).map((statement) => tx.run<unknown>(statement)),
    ])) as unknown as [unknown, ...Written]
    const notified = written[3].filter((run) => run.callback_url !== null).map((run) => run.id)
    const rows = await findRunsById(tx, notified)
    await options.recordRunEnd(tx, ...rows.map(endedRun))
    return written
  })

export async function answerBatch(
  { begun, ended, errors, shown, finished }: Batch,
  [toCancel, stored, , ends]: Written,
  { db, steps, workerId }: BatchOptions,
) {
  const cancelled = new Set(toCancel.map((run) => run.id))
  const stopped = begun.filter(({ step }) => cancelled.has(step.run_id))
  // Their calls will not be made. If this write is lost they count as begun, which is safe.
  const unmade = stopped.map(({ step }) => step).filter((step) => step.attempts === 1)
  if (unmade.length > 0) await writeUnderLease(db, workerId, () => [steps.forget(unmade)])
  for (const entry of stopped) entry.reject(new RunCancelled())
  for (const entry of begun) entry.resolve()
  for (const entry of ended) entry.resolve()
  for (const entry of shown) entry.resolve()
  const asFirst = new Set(stored.map((run) => run.id))
  for (const entry of errors) entry.resolve(asFirst.has(entry.claim.id))
  const runs = new Map(ends.map((run) => [run.id, run]))
  for (const entry of finished) {
    const run = runs.get(entry.claim.id)
    if (run) entry.resolve(run)
    // Only this run is lost; the others in the batch are still ours.
    else entry.reject(new LeaseLost(entry.claim.id))
  }
}
