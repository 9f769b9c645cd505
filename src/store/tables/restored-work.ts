// Work that had not ended when a backup was made. The original server may have continued it since,
// and may have paid for it, so a restored copy ends it instead of doing it again.
import type { NodeError, RunNodeError } from '#core/run-facts.ts'
import type { Db, Tx } from '../db.ts'
import { type AbandonedAttempt, abandoned, settleAttempts } from './ledger.ts'

export type ClosedWork = { runs: number; tasks: number; webhooks: number }

const chunk = 500

/**
 * Ends runs, tasks without a known job at a provider, and webhooks. A task whose job is known
 * continues: asking for its result costs nothing.
 */
export async function closeUnfinishedWork(
  db: Db,
  { nowMs, error }: { nowMs: number; error: NodeError },
): Promise<ClosedWork> {
  const ended: RunNodeError = {
    nodeId: '',
    type: 'run',
    ...error,
    at: new Date(nowMs).toISOString(),
  }
  // in_flight: the cost is taken from the ledger once nothing of the run is pending there.
  const runs = await inChunks(
    db,
    `update runs set status = 'FAILED', completed_at = $1, node_errors = $2, in_flight = 1,
       owner = null, wake_at = null
     where id in (select id from runs where completed_at is null limit ${chunk}) returning id`,
    [nowMs, JSON.stringify([ended])],
  )
  await inChunks(
    db,
    `update waits set status = 'CANCELLED'
     where id in (select id from waits where status = 'OPEN' limit ${chunk}) returning id`,
    [],
  )
  // What a vendor has is still asked for; nothing more is submitted.
  await inChunks(
    db,
    `update economy_calls set status = 'DROPPED'
     where id in (select id from economy_calls where status = 'QUEUED' limit ${chunk}) returning id`,
    [],
  )
  await pauseTriggers(db, nowMs, error.message)
  const tasks = await closeTasks(db, nowMs, JSON.stringify(error))
  const webhooks = await inChunks(
    db,
    `update deliveries set status = 'FAILED', completed_at = $1, last_error = $2, retry_at = null,
       owner = null where id in (select id from deliveries where completed_at is null limit ${chunk})
     returning id`,
    [nowMs, error.message],
  )
  return { runs, tasks, webhooks }
}

/** The original may go on firing, so the copy does not until somebody switches it on. */
async function pauseTriggers(db: Db, nowMs: number, message: string): Promise<void> {
  await db.write(
    `update triggers set due_at = null, paused_at = $1, paused_reason = 'RESTORED'
     where deleted_at is null and paused_at is null`,
    [nowMs],
  )
  await inChunks(
    db,
    `update firings set status = 'SKIPPED', reason = 'PAUSED', message = $1, inputs = null
     where id in (select id from firings where status = 'QUEUED' limit ${chunk}) returning id`,
    [message],
  )
  // These may have a run already, which whoever starts them finds first.
  await inChunks(
    db,
    `update firings set reason = 'PAUSED', message = $1
     where id in (select id from firings where status = 'PENDING' and reason is null
       limit ${chunk}) returning id`,
    [message],
  )
}

async function inChunks(db: Db, sql: string, params: readonly (string | number)[]) {
  for (let count = 0; ; ) {
    const { length } = await db.write(sql, params)
    if (length === 0) return count
    count += length
  }
}

async function closeTasks(db: Db, nowMs: number, error: string): Promise<number> {
  for (let count = 0; ; ) {
    const closed = await db.transaction((tx) => closeSomeTasks(tx, nowMs, error))
    if (closed === 0) return count
    count += closed
  }
}

async function closeSomeTasks(tx: Tx, nowMs: number, error: string): Promise<number> {
  const tasks = await tx.write<{ id: string }>(
    `update tasks set status = 'FAILED', completed_at = $1, error = $2, reserved_micros = 0,
       owner = null, cost_micros = (select sum(l.reserved_micros) from ledger l
         where l.task_id = tasks.id and l.outcome = 'PENDING' and l.unit_price is not null)
     where id in (select id from tasks where completed_at is null and stage <> 'SUBMITTED'
       limit ${chunk}) returning id`,
    [nowMs, error],
  )
  for (const { id } of tasks) {
    const pending = await tx.query<AbandonedAttempt>(
      `select attempt, unit_price, reserved_micros from ledger
       where task_id = $1 and outcome = 'PENDING'`,
      [id],
    )
    await settleAttempts(
      tx,
      pending.map((attempt) => abandoned(attempt, nowMs)),
    )
  }
  return tasks.length
}
