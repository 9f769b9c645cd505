// What runs write while they work: everything of one event-loop turn, of all runs, in one
// transaction that proves the lease first. A step is on disk before its call is made; what a
// run writes is stored in the order it was written. Never writes for a lease that was lost.

import { delay } from '#core/clock.ts'
import { Interruption, LeaseLost } from '#core/interruptions.ts'
import type { RunNodeError } from '#core/run-facts.ts'
import { CommitUnknown, type Db, type RowsOf, StoreUnavailable, type Tx } from '#store/db.ts'
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
import type { StepRow, Steps } from '#store/tables/steps.ts'
import { holdLease, writeUnderLease } from '#store/tables/workers.ts'
import { RunCancelled } from './run-halt.ts'

export type RunJournal = {
  /** Before a call. Rejects with RunCancelled if a request to stop was stored first. */
  begin(step: StepRow): Promise<void>
  /** After a call. */
  end(step: StepRow): Promise<void>
  /** True if it was stored before any request to stop. */
  nodeErrors(claim: Claim, nodeErrors: readonly RunNodeError[]): Promise<boolean>
  show(claim: Claim, snapshot: RunSnapshot): Promise<void>
  finish(claim: Claim, end: RunEnd, options: { hasWebhook: boolean }): Promise<FinishedRun>
  /** In a transaction of its own that proves the lease; for what writes other tables too. */
  together<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** The store refused a batch. Which entry was at fault is not known: the others may be innocent. */
export class NotWritten extends Interruption {
  override name = 'NotWritten'
  constructor(cause: unknown) {
    super('what the run had to write was refused', { cause })
  }
}

const isForeseen = (error: unknown) =>
  error instanceof StoreUnavailable || error instanceof LeaseLost

type Entry<Content, Answer = void> = Content & {
  resolve(value: Answer): void
  reject(error: unknown): void
}

/** What is written together, by kind, in this order. */
type Batch = {
  /** Somebody is to be told of the end of a run in it. */
  hasWebhook: boolean
  begun: Entry<{ step: StepRow }>[]
  ended: Entry<{ step: StepRow }>[]
  errors: Entry<{ claim: Claim; nodeErrors: readonly RunNodeError[] }, boolean>[]
  shown: Entry<{ claim: Claim; snapshot: RunSnapshot }>[]
  finished: Entry<{ claim: Claim; end: RunEnd }, FinishedRun>[]
  /** Called when the steps in it were stored, or were not. */
  settle(isStored: boolean): void
}

type JournalOptions = {
  db: Db
  steps: Steps
  workerId: string
  recordRunEnd: RecordRunEnd
  /** Aborts when nothing more may be written: the lease is lost, or the process stops. */
  until: AbortSignal
}

/** A database that is away is tried again this often: runs wait, and lose nothing by it. */
const awayPauseMs = 500

/**
 * Some runs go on while others are being written, and what one run writes never overtakes itself.
 * SQLite carries out batches in the order they are sent; on PostgreSQL each lane waits for its own.
 */
const lanesOn = ({ keepsOrder }: Db) =>
  keepsOrder ? { lanes: 1, atOnce: 2, maxBatch: 250 } : { lanes: 2, atOnce: 1, maxBatch: 1_000 }

export function createRunJournal(options: JournalOptions): RunJournal {
  const { db, workerId } = options
  const [first, second] = [createLane(options), createLane(options)]
  const isDivided = lanesOn(db).lanes === 2
  const laneOf = (runId: string) =>
    isDivided && runId.charCodeAt(runId.length - 1) % 2 ? second : first
  return {
    begin: (step) => laneOf(step.run_id)((batch) => batch.begun, { step }),
    end: (step) => laneOf(step.run_id)((batch) => batch.ended, { step }),
    nodeErrors: (claim, nodeErrors) =>
      laneOf(claim.id)((batch) => batch.errors, { claim, nodeErrors }),
    show: (claim, snapshot) => laneOf(claim.id)((batch) => batch.shown, { claim, snapshot }),
    finish: (claim, end, { hasWebhook }) =>
      laneOf(claim.id)((batch) => batch.finished, { claim, end }, hasWebhook),
    together: (work) =>
      db.transaction(async (tx) => {
        await holdLease(tx, workerId)
        return work(tx)
      }),
  }
}

/** Takes entries; writes a batch or two at a time, and what came meanwhile as the next. */
function createLane(options: JournalOptions) {
  const { db } = options
  const { atOnce, maxBatch } = lanesOn(db)
  const waiting: Batch[] = []
  let count = 0
  let isScheduled = false
  let writing = 0
  /** Of the waiting, those for which the writing has been asked for. */
  let untaken = 0

  function batchToFill(hasWebhook: boolean): Batch {
    const last = waiting.at(-1)
    if (last && count++ < maxBatch && (last.hasWebhook || !hasWebhook)) return last
    count = 1
    const batch = newBatch(hasWebhook)
    waiting.push(batch)
    return batch
  }

  function startWriting() {
    isScheduled = false
    while (writing < atOnce && waiting.length > untaken) {
      writing++
      void write()
    }
  }

  async function write() {
    const hasWebhook = waiting[untaken++]?.hasWebhook ?? false
    let batch: Batch | undefined
    // Taken when the writing begins, so that this turn's later entries are in it.
    const take = () => {
      if (!batch) {
        batch = waiting.shift() ?? newBatch(false)
        untaken--
      }
      return batch
    }
    const writeOnce = () => (hasWebhook ? writeAndTell(take, options) : writeBatch(take, options))
    try {
      // Only where batches wait for one another: a later one must not overtake it meanwhile.
      const written =
        atOnce === 1
          ? await whileAway(writeOnce, options.until, () => take().settle(false))
          : await writeOnce()
      take().settle(true)
      await answer(take(), written, options)
    } catch (error) {
      const { begun, ended, errors, shown, finished, settle } = take()
      settle(false)
      const reason = isForeseen(error) ? error : new NotWritten(error)
      for (const entry of [begun, ended, errors, shown, finished].flat()) entry.reject(reason)
    }
    writing--
    startWriting()
  }

  return <Content, Answer>(
    listIn: (batch: Batch) => Entry<Content, Answer>[],
    content: Content,
    hasWebhook = false,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      listIn(batchToFill(hasWebhook)).push({ ...content, resolve, reject })
      if (writing === atOnce || isScheduled) return
      // SQLite begins a transaction after this turn by itself.
      if (db.keepsOrder) return startWriting()
      isScheduled = true
      setImmediate(startWriting)
    })
}

/**
 * Writes again where the database was away and surely wrote nothing: what a call brought is known
 * here alone, and its run would otherwise fail as one whose calls may have been lost.
 */
async function whileAway<T>(
  write: () => Promise<T>,
  until: AbortSignal,
  onFailed: () => void,
): Promise<T> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      const isAway = error instanceof StoreUnavailable && !(error instanceof CommitUnknown)
      if (!isAway) throw error
      onFailed()
      await delay(awayPauseMs, until).catch(() => {
        throw error
      })
    }
  }
}

const newBatch = (hasWebhook: boolean): Batch => ({
  hasWebhook,
  begun: [],
  ended: [],
  errors: [],
  shown: [],
  finished: [],
  settle() {},
})

/** All is sent at once and done in this order. */
function statementsOf(batch: Batch, { db, steps, workerId }: JournalOptions) {
  const { begun, ended, errors, shown, finished } = batch
  const { dialect } = db
  const stepOf = ({ step }: { step: StepRow }) => step
  const record = steps.record(begun.map(stepOf), ended.map(stepOf))
  batch.settle = record.settle
  // The last one shows all that those before it did.
  const latest = new Map(shown.map((entry) => [entry.claim.id, entry]))
  return [
    findRunsToCancel(workerId),
    storeNodeErrors(errors),
    showProgress(dialect, [...latest.values()]),
    finishRuns(dialect, finished),
    ...record.statements,
  ] as const
}
type Written = RowsOf<ReturnType<typeof statementsOf>>

const writeBatch = (take: () => Batch, options: JournalOptions): Promise<Written> =>
  writeUnderLease(options.db, options.workerId, () => statementsOf(take(), options))

/** What is told of a run's end is stored with it. */
const writeAndTell = (take: () => Batch, options: JournalOptions): Promise<Written> =>
  options.db.transaction(async (tx) => {
    const { workerId } = options
    const [, ...written] = (await Promise.all([
      holdLease(tx, workerId),
      ...statementsOf(take(), options).map((statement) => tx.run<unknown>(statement)),
    ])) as unknown as [unknown, ...Written]
    const told = written[3].filter((run) => run.callback_url !== null).map((run) => run.id)
    const rows = await findRunsById(tx, told)
    await options.recordRunEnd(tx, ...rows.map(endedRun))
    return written
  })

async function answer(
  { begun, ended, errors, shown, finished }: Batch,
  [toCancel, stored, , ends]: Written,
  { db, steps, workerId }: JournalOptions,
) {
  const cancelled = new Set(toCancel.map((run) => run.id))
  const stopped = begun.filter(({ step }) => cancelled.has(step.run_id))
  // Their calls will not be made. Should this be lost they count as begun: the safe side.
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
    // Only this run is no longer ours; its neighbours in the batch are.
    else entry.reject(new LeaseLost(entry.claim.id))
  }
}
