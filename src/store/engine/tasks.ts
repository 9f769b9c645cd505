import { RunStopped } from '#core/interruptions.ts'
import type { Db, Reader, Tx } from '../db.ts'
import type { OwnTask, Tasks } from '../engine-store.ts'
import { claimStore, releaseUnfinished } from '../tables/claims.ts'
import { openAttempt, outcomeOf, settleAttempts, spendFreed } from '../tables/ledger.ts'
import { failOverdueTasks } from '../tables/overdue-tasks.ts'
import { cancelUnsentTasks, endedTasks, sentTasks } from '../tables/run-work.ts'
import { hasRunStopped } from '../tables/runs.ts'
import {
  findTask,
  finishTask,
  markSubmitted,
  markSubmitting,
  markUnsubmitted,
  releaseUntil,
  taskClaims,
} from '../tables/tasks.ts'

export function tasksIn(db: Db): Tasks {
  /** `isMade` also tells after a crash of the database whether the commit was made. */
  async function writeOnce(
    work: (tx: Tx) => Promise<unknown>,
    isMade: (reader: Reader) => Promise<boolean>,
    { mayBeMade }: { mayBeMade: boolean },
  ): Promise<void> {
    if (mayBeMade && (await isMade(db))) return
    await db.transaction(work, { isStored: isMade })
  }
  const find = (reader: Reader, { row, claim }: OwnTask) =>
    findTask(reader, row.account_id, claim.id)

  return {
    claims: (times) => claimStore(db, taskClaims, times),
    failOverdue: (nowMs, error) => failOverdueTasks(db, nowMs, error),
    begin({ claim }, attempt, retry) {
      const write = async (tx: Tx) => {
        // In this transaction, because a worker that takes over a task after a crash knows nothing
        // of its run, and may come before the worker that ends the run.
        const { runId, model: servedBy, createdAtMs: nowMs, via } = attempt
        if (runId !== null && (await hasRunStopped(tx, runId))) throw new RunStopped()
        await markSubmitting(tx, claim, { servedBy, deployment: via?.deployment, nowMs })
        await openAttempt(tx, attempt)
      }
      const isMade = async (reader: Reader) => (await outcomeOf(reader, attempt.attempt)) !== null
      return writeOnce(write, isMade, retry)
    },
    accepted(task, jobRef, retry) {
      const isMade = async (reader: Reader) =>
        JSON.stringify((await find(reader, task))?.job_ref) === jobRef
      return writeOnce((tx) => markSubmitted(tx, task.claim, jobRef), isMade, retry)
    },
    refused({ claim }, settlement, retry) {
      const write = async (tx: Tx) => {
        await markUnsubmitted(tx, claim)
        await settleAttempts(tx, [settlement])
      }
      const isMade = async (reader: Reader) =>
        (await outcomeOf(reader, settlement.attempt)) === settlement.outcome
      return writeOnce(write, isMade, retry)
    },
    end(task, end, settlement, retry) {
      const write = async (tx: Tx) => {
        await finishTask(tx, task.claim, end)
        if (settlement) await settleAttempts(tx, [settlement])
        tx.notify(spendFreed)
      }
      const isMade = async (reader: Reader) => {
        const found = await find(reader, task)
        return found !== undefined && found.completed_at !== null
      }
      return writeOnce(write, isMade, retry)
    },
    postpone: (claim, runAtMs, delayed) =>
      db.transaction((tx) => releaseUntil(tx, claim, { runAtMs, delayed })),
    handOver: (claim, nowMs) =>
      db.transaction(async (tx) => {
        await releaseUntil(tx, claim, { runAtMs: nowMs })
        tx.notify('tasks')
      }),
    release: (claim, next) => db.transaction((tx) => releaseUnfinished(tx, 'tasks', claim, next)),
    cancelUnsent: (runId, nowMs) => cancelUnsentTasks(db, runId, nowMs),
    sent: (runId) => sentTasks(db, runId),
    ended: (ids) => endedTasks(db, ids),
    onEnded: (look) => db.listen('task-ended', look),
    synced: async () => db.synced(),
  }
}
