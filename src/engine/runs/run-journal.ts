// What runs write while they work: everything of one event-loop turn, of all runs, in one
// transaction that proves the lease first. A step is on disk before its call is made; what a
// run writes is stored in the order it was written. Never writes for a lease that was lost.
import type { Db, Tx } from '#store/db.ts'
import type { RecordRunEnd } from '#store/deliveries.ts'
import { endedRun } from '#store/ended-run.ts'
import {
  type FinishedRun,
  finishRun,
  holdLease,
  type RunEnd,
  type RunLease,
  type RunSnapshot,
  runsToCancel,
  showProgress,
  storeNodeErrors,
} from '#store/run-work.ts'
import { requireRun } from '#store/runs.ts'
import { beginSteps, endSteps, type StepRow } from '#store/steps.ts'
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

type Settle = { resolve(value: unknown): void; reject(error: unknown): void }
type StepEntry = Settle & { kind: 'begin' | 'end'; step: StepRow }
type RunEntry = Settle &
  (
    | { kind: 'errors'; lease: RunLease; nodeErrors: string }
    | { kind: 'show'; lease: RunLease; snapshot: RunSnapshot }
    | { kind: 'finish'; lease: RunLease; end: RunEnd }
  )
type Entry = StepEntry | RunEntry
type Answer = () => void

// Bounds how long one transaction takes.
const maxBatch = 1_000

export function createRunJournal(options: {
  db: Db
  workerId: string
  recordRunEnd: RecordRunEnd
}): RunJournal {
  const { db, workerId } = options
  let queue: Entry[] = []
  let isWriting = false

  async function write() {
    while (queue.length > 0) {
      let batch: Entry[] = []
      try {
        const answers = await db.transaction((tx) => {
          // Taken when the transaction begins, so that this turn's later entries are in it.
          if (batch.length === 0) {
            batch = queue.slice(0, maxBatch)
            queue = queue.slice(maxBatch)
          }
          return writeBatch(tx, batch, options)
        })
        for (const answer of answers) answer()
      } catch (error) {
        if (batch.length === 0) batch = queue.splice(0)
        for (const entry of batch) entry.reject(error)
      }
    }
    isWriting = false
  }

  const add = <T>(entry: (settle: Settle) => Entry): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      queue.push(entry({ resolve: resolve as Entry['resolve'], reject }))
      if (isWriting) return
      isWriting = true
      // SQLite begins a transaction after this turn by itself.
      if (db.kind === 'sqlite') void write()
      else setImmediate(write)
    })

  return {
    begin: (step) => add((settle) => ({ kind: 'begin', step, ...settle })),
    end: (step) => add((settle) => ({ kind: 'end', step, ...settle })),
    nodeErrors: (lease, nodeErrors) =>
      add((settle) => ({ kind: 'errors', lease, nodeErrors, ...settle })),
    show: (lease, snapshot) => add((settle) => ({ kind: 'show', lease, snapshot, ...settle })),
    finish: (lease, end) => add((settle) => ({ kind: 'finish', lease, end, ...settle })),
    together: (work) =>
      db.transaction(async (tx) => {
        await holdLease(tx, db.kind, workerId)
        return work(tx)
      }),
  }
}

async function writeBatch(
  tx: Tx,
  batch: readonly Entry[],
  { db, workerId, recordRunEnd }: Parameters<typeof createRunJournal>[0],
): Promise<Answer[]> {
  // Sent first and awaited with the rest: without the lease nothing of this is committed.
  const held = holdLease(tx, db.kind, workerId)
  held.catch(() => {})
  const hasBegun = batch.some((entry) => entry.kind === 'begin')
  const toCancel = hasBegun ? await runsToCancel(tx, workerId) : []
  const answers: Answer[] = []
  const begun: StepRow[] = []
  const ended: StepRow[] = []
  const others: Promise<Answer>[] = []
  for (const entry of batch) {
    if (!('step' in entry)) continue
    if (entry.kind === 'begin' && toCancel.includes(entry.step.run_id)) {
      answers.push(() => entry.reject(new RunCancelled()))
    } else {
      ;(entry.kind === 'begin' ? begun : ended).push(entry.step)
      answers.push(() => entry.resolve(undefined))
    }
  }
  const steps = [beginSteps(tx, db, begun), endSteps(tx, db, ended)]
  for (const entry of batch) {
    if (!('step' in entry)) others.push(writeOne(tx, entry, recordRunEnd))
  }
  const [told] = await Promise.all([Promise.all(others), held, ...steps])
  return [...answers, ...told]
}

async function writeOne(tx: Tx, entry: RunEntry, recordRunEnd: RecordRunEnd): Promise<Answer> {
  switch (entry.kind) {
    case 'errors': {
      const isFirst = await storeNodeErrors(tx, entry.lease, entry.nodeErrors)
      return () => entry.resolve(isFirst)
    }
    case 'show':
      await showProgress(tx, entry.lease, entry.snapshot)
      return () => entry.resolve(undefined)
    case 'finish': {
      const row = await finishRun(tx, entry.lease, entry.end).catch((error: unknown) => {
        if ((error as Error).name === 'LeaseLost') return error as Error
        throw error
      })
      // Only this run is no longer ours; its neighbours in the batch are.
      if (row instanceof Error) return () => entry.reject(row)
      if (row.callback_url !== null) await recordRunEnd(tx, endedRun(await requireRun(tx, row.id)))
      return () => entry.resolve(row)
    }
    default:
      return entry satisfies never
  }
}
