// Runs as the work side sees them: claimed, checked against their lease, ended. Every write
// names the owner; a worker whose lease was taken writes nothing.
import { type Db, GuardFailed, type Reader, type RowsOf, type Statement, type Tx } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import type { NewRun, Taken } from './new-runs.ts'
import type { RunRow } from './runs.ts'
import { LeaseLost, type TaskRow } from './tasks.ts'

export type RunLease = { runId: string; workerId: string; epoch: number }

/** Accounts with runs that no worker owns, after `cursor` in account order. */
export const accountsWithWaitingRuns = (db: Reader, cursor: string | null, limit: number) =>
  db
    .query<{ account_id: string }>(
      `with recursive waiting(account_id) as (
         select (select account_id from runs
           where owner is null and completed_at is null ${cursor === null ? '' : 'and account_id > $2'}
           order by account_id limit 1)
         union all
         select (select r.account_id from runs r
           where r.owner is null and r.completed_at is null and r.account_id > waiting.account_id
           order by r.account_id limit 1)
         from waiting where waiting.account_id is not null
       )
       select account_id from waiting where account_id is not null limit $1`,
      cursor === null ? [limit] : [limit, cursor],
    )
    .then((rows) => rows.map((row) => row.account_id))

/** Claims of one account pass one at a time, so that its active runs can be counted. */
export const lockAccountRuns = (accountId: string): Statement => ({
  sql: `insert into account_sequences as s (account_id, list, last_seq, removed_seq, last_created_at)
     values ($1, 'active-runs', 0, 0, 0)
     on conflict (account_id, list) do update set last_seq = s.last_seq`,
  rows: [[accountId]],
})

const claimed = `id, account_id, workflow_id, data_version, called, spender, inputs, node_errors, nodes,
  status, retry_of, max_cost_micros, created_at, started_at, cancel_requested_at, deadline_at,
  epoch, releases, callback_url`

/** What a worker needs of a run it owns. */
export type ClaimedRun = Pick<
  RunRow,
  | 'id'
  | 'account_id'
  | 'workflow_id'
  | 'data_version'
  | 'called'
  | 'spender'
  | 'inputs'
  | 'node_errors'
  | 'nodes'
  | 'status'
  | 'retry_of'
  | 'max_cost_micros'
  | 'created_at'
  | 'started_at'
  | 'cancel_requested_at'
  | 'deadline_at'
  | 'epoch'
  | 'releases'
  | 'callback_url'
>

/** A run that was stored as taken. */
export const takenRun = (row: NewRun, taken: Taken): ClaimedRun => ({
  ...row,
  ...taken,
  status: 'RUNNING',
  epoch: 1,
  releases: 0,
  nodes: null,
  node_errors: null,
  cancel_requested_at: null,
})

// A process that has the database to itself knows what it works on.
const roomLeft = `greatest(0, $6::bigint - (select count(*) from workers w join runs r on r.owner = w.id
  where r.account_id = $2 and w.id <> $1))`

/**
 * At most `limit`, and no more than leave `room` for the account once what other workers have of
 * it is taken away. The time limit of a run starts with its first claim. One that waited too long
 * is left alone. A run that was never claimed waits for no time: the clock that stored it may have
 * been ahead of this one. So was the clock that put a run off beyond any time limit.
 */
export const claimRuns = (
  { isShared, dialect }: Pick<Db, 'isShared' | 'dialect'>,
  claim: {
    workerId: string
    accountId: string
    limit: number
    room: number
    nowMs: number
    deadlineMs: number
  },
): Statement<ClaimedRun> => ({
  sql: `update runs set
       owner = $1, epoch = epoch + 1,
       status = case when status = 'QUEUED' then 'RUNNING' else status end,
       deadline_at = case when started_at is null then $5 else deadline_at end,
       started_at = coalesce(started_at, $3)
     where id in (select id from runs
       where account_id = $2 and owner is null and completed_at is null
         and case when started_at is null then deadline_at >= $3 else run_at <= $3 or run_at > $5 end
       order by run_at limit ${isShared ? `least($4::bigint, ${roomLeft})` : 'min($4, $6)'}
       ${dialect.skipLocked})
     returning ${claimed}`,
  rows: [[claim.workerId, claim.accountId, claim.nowMs, claim.limit, claim.deadlineMs, claim.room]],
})

/**
 * Runs that had begun, that nobody owns, and that are cancelled or past their time limit. All that
 * is left is to end them: where every slot of their account is taken they would never be claimed.
 */
export const claimStoppedRuns = (
  { dialect }: Pick<Db, 'dialect'>,
  claim: { workerId: string; limit: number; nowMs: number },
): Statement<ClaimedRun> => ({
  sql: `update runs set owner = $1, epoch = epoch + 1
     where id in (select id from runs
       where owner is null and completed_at is null and started_at is not null
         and (status = 'CANCEL_REQUESTED' or deadline_at < $2)
       limit $3 ${dialect.skipLocked})
     returning ${claimed}`,
  rows: [[claim.workerId, claim.nowMs, claim.limit]],
})

/** Runs that never began in time; the caller records their ends in the same transaction. */
export const failOverdueRuns = (tx: Tx, nowMs: number, nodeErrors: string) =>
  tx.write<RunRow>(
    `update runs set status = 'FAILED', completed_at = $1, node_errors = $2
     where id in (select id from runs
       where owner is null and completed_at is null and started_at is null and deadline_at < $1
       limit 500) and status = 'QUEUED'
     returning *`,
    [nowMs, nodeErrors],
  )

/**
 * Proves that this worker still has its lease, and keeps it so until the transaction ends:
 * whoever takes over must first remove this row.
 */
export const leaseOf = ({ keyShare }: Dialect, workerId: string): Statement => ({
  sql: `select id from workers where id = $1 ${keyShare}`,
  rows: [[workerId]],
  isGuard: true,
})

const asLeaseLost = (workerId: string) => (error: unknown) => {
  throw error instanceof GuardFailed ? new LeaseLost(workerId) : error
}

export const holdLease = (tx: Tx, workerId: string): Promise<unknown> =>
  tx.run(leaseOf(tx.dialect, workerId)).catch(asLeaseLost(workerId))

/** All of it, or, without the lease, nothing. Answers with what each statement returned. */
export const writeUnderLease = <const Statements extends readonly Statement[]>(
  db: Db,
  workerId: string,
  statements: () => Statements,
): Promise<RowsOf<Statements>> =>
  db
    .writeAll(() => [leaseOf(db.dialect, workerId), ...statements()])
    .then(([, ...rows]) => rows as unknown as RowsOf<Statements>)
    .catch(asLeaseLost(workerId))

const cancelling = `select id from runs where owner = $1 and status = 'CANCEL_REQUESTED'`

/** Of the runs this worker owns, those somebody asked to stop. */
export const runsToCancel = (db: Reader, workerId: string) =>
  db.query<{ id: string }>(cancelling, [workerId]).then((rows) => rows.map((row) => row.id))

/** The same, to be written with other statements. */
export const findRunsToCancel = (workerId: string): Statement<{ id: string }> => ({
  sql: cancelling,
  rows: [[workerId]],
})

/** Gives a run back, to be claimed again at `runAtMs`. */
export const releaseRun = (
  tx: Tx,
  lease: RunLease,
  { runAtMs, releases }: { runAtMs: number; releases: number },
) =>
  tx.write(
    `update runs set owner = null, run_at = $4, releases = $5
     where id = $1 and owner = $2 and epoch = $3`,
    [lease.runId, lease.workerId, lease.epoch, runAtMs, releases],
  )

/**
 * Ends a run that nobody can go on with. Its calls may still be under way: its cost is settled
 * like that of any run that did not await them.
 */
export const quarantineRun = (
  tx: Tx,
  lease: RunLease,
  { nodeErrors, nowMs }: { nodeErrors: string; nowMs: number },
) =>
  tx.write<RunRow>(
    `update runs set
       status = case when status = 'CANCEL_REQUESTED' then 'CANCELLED' else 'FAILED' end,
       completed_at = $5, outputs = null, node_errors = $4, in_flight = 1, owner = null
     where id = $1 and owner = $2 and epoch = $3 and completed_at is null
     returning *`,
    [lease.runId, lease.workerId, lease.epoch, nodeErrors, nowMs],
  )

// A call that was about to leave when its run ended may not be in the ledger yet.
const lateMs = 2_000

/** Adds what calls cost that were still under way when their run ended. Returns how many settled. */
export async function settleLateCosts(db: Db, nowMs: number): Promise<number> {
  const some = await db.query(`select 1 as one from runs where in_flight = 1 limit 1`)
  if (some.length === 0) return 0
  const rows = await db.write(
    `update runs set in_flight = 0, cost_micros = coalesce(
         (select sum(l.cost_micros) from ledger l where l.run_id = runs.id), 0)
     where id in (select r.id from runs r where r.in_flight = 1 and r.completed_at <= $1
         and not exists (select 1 from ledger l where l.run_id = r.id and l.outcome = 'PENDING')
         and not exists (select 1 from tasks t where t.run_id = r.id and t.completed_at is null)
         limit 500)
     returning id`,
    [nowMs - lateMs],
  )
  return rows.length
}

/** What is known of a node's own attempts at a provider. */
export const attemptsOfNode = (db: Reader, runId: string, nodePath: string) =>
  db.query<{ attempt: string; outcome: string; reserved_micros: number }>(
    `select attempt, outcome, reserved_micros from ledger where run_id = $1 and node_id = $2`,
    [runId, nodePath],
  )

/** Tasks of a run that nothing was sent for; they end here. */
export async function cancelUnsentTasks(db: Db, runId: string, nowMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.write(
      `update tasks set status = 'CANCELLED', completed_at = $2, reserved_micros = 0
       where run_id = $1 and completed_at is null and owner is null and status = 'QUEUED'`,
      [runId, nowMs],
    )
    tx.notify('task-ended')
  })
}

export type SentTask = { id: string; served_by: string | null; model: string; job_ref: string }

/** Tasks of a run that a provider works on. */
export const sentTasks = (db: Reader, runId: string) =>
  db.query<SentTask>(
    `select id, served_by, model, job_ref from tasks
     where run_id = $1 and completed_at is null and job_ref is not null`,
    [runId],
  )

/** Of these tasks, those that have ended. */
export const endedTasks = (db: Reader, ids: readonly string[]) =>
  db.query<TaskRow>(
    `select * from tasks where completed_at is not null
       and id in (${ids.map((_, i) => `$${i + 1}`).join(', ')})`,
    ids,
  )
