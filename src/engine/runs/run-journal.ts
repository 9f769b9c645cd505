// What runs write while they work: everything of one event-loop turn, of all runs, in one
// transaction that proves the lease first. A step is on disk before its call is made; what a
// run writes is stored in the order it was written. Never writes for a lease that was lost.
import type { Db, Tx } from '#store/db.ts'
import type { RecordRunEnd } from '#store/deliveries.ts'
import { endedRun } from '#store/ended-run.ts'
import {
  type FinishedRun,
  finishRuns,
  type RunEnd,
  type RunSnapshot,
  showProgress,
  storeNodeErrors,
} from '#store/run-progress.ts'
import { holdLease, type RunLease, runsToCancel } from '#store/run-work.ts'
import { findRunsById } from '#store/runs.ts'
import { beginSteps, endSteps, forgetStep, type StepRow } from '#store/steps.ts'
import { LeaseLost } from '#store/tasks.ts'
import { RunCancelled } from './run-halt.ts'

export type RunJournal = {
  /** Before a call. Rejects with RunCancelled if a request to stop was stored first. */
  begin(step: StepRow): Promise<void>
  /** After a call. */
  end(step: StepRow): Promise<void>
  /** True if it was stored before any request to stop. */
  nodeErrors(lease: RunLease, nodeErrors: string): Promise<boolean>
  show(lease: RunLease, snapshot: RunSnapshot): Promise<void>
  finish(lease: RunLease, end: RunEnd): Promise<FinishedRun>
  /** In a transaction of its own that proves the lease; for what writes other tables too. */
  together<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

type Entry<Content, Answer = void> = Content & {
  resolve(value: Answer): void
  reject(error: unknown): void
}

/** What is written together, by kind, in this order. */
type Batch = {
  begun: Entry<{ step: StepRow }>[]
  ended: Entry<{ step: StepRow }>[]
  errors: Entry<{ lease: RunLease; nodeErrors: string }, boolean>[]
  shown: Entry<{ lease: RunLease; snapshot: RunSnapshot }>[]
  finished: Entry<{ lease: RunLease; end: RunEnd }, FinishedRun>[]
}

type JournalOptions = { db: Db; workerId: string; recordRunEnd: RecordRunEnd }

// Bounds how long one transaction takes.
const maxBatch = 1_000

export function createRunJournal(options: JournalOptions): RunJournal {
  const { db, workerId } = options
  const [first, second] = [createLane(options), createLane(options)]
  // On PostgreSQL one half of the runs is computed while the database writes the other.
  const isFirst =
    db.kind === 'sqlite' ? () => true : (runId: string) => runId.charCodeAt(runId.length - 1) % 2
  const laneOf = (runId: string) => (isFirst(runId) ? first : second)
  return {
    begin: (step) => laneOf(step.run_id)((batch) => batch.begun, { step }),
    end: (step) => laneOf(step.run_id)((batch) => batch.ended, { step }),
    nodeErrors: (lease, nodeErrors) =>
      laneOf(lease.runId)((batch) => batch.errors, { lease, nodeErrors }),
    show: (lease, snapshot) => laneOf(lease.runId)((batch) => batch.shown, { lease, snapshot }),
    finish: (lease, end) => laneOf(lease.runId)((batch) => batch.finished, { lease, end }),
    together: (work) =>
      db.transaction(async (tx) => {
        await holdLease(tx, db.kind, workerId)
        return work(tx)
      }),
  }
}

/** Takes entries; writes one batch at a time, and what came meanwhile as the next. */
function createLane(options: JournalOptions) {
  const { db } = options
  const waiting: Batch[] = []
  let count = 0
  let isWriting = false

  function batchToFill(): Batch {
    const last = waiting.at(-1)
    if (last && count++ < maxBatch) return last
    count = 1
    const batch: Batch = { begun: [], ended: [], errors: [], shown: [], finished: [] }
    waiting.push(batch)
    return batch
  }

  async function write() {
    while (waiting.length > 0) {
      let batch: Batch | undefined
      try {
        const answerAll = await db.transaction((tx) => {
          // Taken when the transaction begins, so that this turn's later entries are in it.
          batch ??= waiting.shift()
          return batch ? writeBatch(tx, batch, options) : Promise.resolve(() => {})
        })
        answerAll()
      } catch (error) {
        const failed = batch ?? waiting.shift()
        for (const entry of Object.values(failed ?? {}).flat()) entry.reject(error)
      }
    }
    isWriting = false
  }

  return <Content, Answer>(
    listIn: (batch: Batch) => Entry<Content, Answer>[],
    content: Content,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      listIn(batchToFill()).push({ ...content, resolve, reject })
      if (isWriting) return
      isWriting = true
      // SQLite begins a transaction after this turn by itself.
      if (db.kind === 'sqlite') void write()
      else setImmediate(write)
    })
}

const noRuns: string[] = []

/** All is sent at once and done in this order: without the lease nothing of it is committed. */
async function writeBatch(
  tx: Tx,
  batch: Batch,
  { db, workerId, recordRunEnd }: JournalOptions,
): Promise<() => void> {
  const steps = (entries: Batch['begun']) => entries.map(({ step }) => step)
  // The last one shows all that those before it did.
  const latest = new Map(batch.shown.map((entry) => [entry.lease.runId, entry]))
  const [, toCancel, , , areFirst, , finished] = await Promise.all([
    holdLease(tx, db.kind, workerId),
    batch.begun.length > 0 ? runsToCancel(tx, workerId) : noRuns,
    beginSteps(tx, db, steps(batch.begun)),
    endSteps(tx, db, steps(batch.ended)),
    Promise.all(batch.errors.map((entry) => storeNodeErrors(tx, entry.lease, entry.nodeErrors))),
    showProgress(tx, db, [...latest.values()]),
    finishRuns(tx, db, batch.finished),
  ])
  const stopped = batch.begun.filter(({ step }) => toCancel.includes(step.run_id))
  for (const { step } of stopped) if (step.attempts === 1) await forgetStep(tx, step)
  const told = finished.filter((run) => run.callback_url !== null).map((run) => run.id)
  if (told.length > 0) {
    const rows = await findRunsById(tx, db.kind, told)
    await recordRunEnd(tx, ...rows.map(endedRun))
  }
  return () => {
    for (const entry of stopped) entry.reject(new RunCancelled())
    for (const entry of [...batch.begun, ...batch.ended, ...batch.shown]) entry.resolve()
    for (const [index, entry] of batch.errors.entries()) entry.resolve(areFirst[index] ?? false)
    const ended = new Map(finished.map((run) => [run.id, run]))
    for (const entry of batch.finished) {
      const run = ended.get(entry.lease.runId)
      if (run) entry.resolve(run)
      // Only this run is no longer ours; its neighbours in the batch are.
      else entry.reject(new LeaseLost(entry.lease.runId))
    }
  }
}
