// Runs as the work side sees them: claimed, checked against their lease, ended. Every write
// to a run that somebody owns names the owner; a worker that has lost its lease writes nothing.
import type { RunNodeError } from '#core/run-facts.ts'
import type { Db, Reader, Statement, Tx, Writer } from '../db.ts'
import type { Row, Stored } from '../table.ts'
import { type Claim, type ClaimRules, updateClaimed } from './claims.ts'
import { hasLateMedia } from './late-answers.ts'
import type { AbandonedAttempt } from './ledger.ts'
import { claimedAs, type FirstClaim, type NewRun } from './new-runs.ts'
import { runTable, wholeRun } from './runs.ts'
import type { Outcome } from './settlement.ts'
import { endedTask, sentTask } from './tasks.ts'

const claimed = runTable.select(
  ...(['id', 'account_id', 'workflow_id', 'data_version', 'called', 'spender', 'inputs'] as const),
  ...(['node_errors', 'nodes', 'status', 'retry_of', 'max_cost_micros', 'created_at'] as const),
  ...(['started_at', 'cancel_requested_at', 'deadline_at', 'epoch', 'releases'] as const),
  ...(['deaths', 'callback_url', 'wakes', 'slept_at', 'slept_epoch', 'kept', 'options'] as const),
)

/** What a worker needs to know about a run it owns. */
export type ClaimedRun = Row<typeof claimed>

/** A run that was stored as claimed. */
export const firstClaimed = (row: NewRun, claim: FirstClaim): ClaimedRun => ({
  options: null,
  ...row,
  ...claimedAs(row, claim),
  status: 'RUNNING',
  epoch: 1,
  releases: 0,
  deaths: 0,
  wakes: 0,
  slept_at: null,
  slept_epoch: 0,
  kept: null,
  nodes: null,
  node_errors: null,
  cancel_requested_at: null,
})

/**
 * The time limit of a run starts with its first claim. A run that has waited too long is not
 * claimed. The time limit does not run while it sleeps, or waits for a worker after that. `run_at`
 * does not delay a first claim: the clock that stored it may have been ahead of
 * this one. A `run_at` beyond any time limit is ignored for the same reason. Times: now, and the
 * deadline of runs that begin now.
 */
export const runClaims: ClaimRules<ClaimedRun> = {
  table: 'runs',
  queue: 'account_id',
  waits: `owner is null and completed_at is null and wake_at is null`,
  isDue: `case when started_at is null then deadline_at >= $4 else run_at <= $4 or run_at > $5 end`,
  order: 'run_at',
  set: `status = case when status = 'QUEUED' then 'RUNNING' else status end,
    deadline_at = case when must_end_by is not null then must_end_by
      when started_at is null then $5
      when slept_epoch = epoch then deadline_at + $4 - slept_at else deadline_at end,
    started_at = coalesce(started_at, $4)`,
  selection: claimed,
  hasSharedLimit: true,
}

/** The sleepers of an account that are due are a queue of their own. */
const mark = ' due'
export const dueQueueOf = (accountId: string) => accountId + mark
export const isDueQueue = (queue: string) => queue.endsWith(mark)
export const accountOfQueue = (queue: string) =>
  isDueQueue(queue) ? queue.slice(0, -mark.length) : queue

/**
 * Claims runs that had begun, that nobody owns, and that are cancelled or past their time limit.
 * They only have to be ended, and must not wait for a free slot of their account.
 */
export const claimStoppedRuns = (
  { dialect }: Pick<Db, 'dialect'>,
  claim: { workerId: string; limit: number; nowMs: number },
): Statement<Stored<ClaimedRun>> => ({
  sql: `update runs set owner = $1, epoch = epoch + 1
     where id in (select id from runs
       where owner is null and completed_at is null and wake_at is null
         and started_at is not null
         and (status = 'CANCEL_REQUESTED' or deadline_at < $2 and slept_epoch <> epoch)
       limit $3 ${dialect.skipLocked})
     returning ${claimed.columns}`,
  rows: [[claim.workerId, claim.nowMs, claim.limit]],
})

/** Decodes the rows that `claimStoppedRuns` returns. */
export const readClaimed = claimed.read

/** Fails runs that did not begin in time; the caller records their ends in the same transaction. */
export const failOverdueRuns = (tx: Tx, nowMs: number, nodeErrors: readonly RunNodeError[]) =>
  wholeRun.write(
    tx,
    `update runs set status = 'FAILED', completed_at = $1, node_errors = $2
     where id in (select id from runs
       where owner is null and completed_at is null and wake_at is null
         and started_at is null and deadline_at < $1
       limit 500) and status = 'QUEUED'
     returning ${wholeRun.columns}`,
    [nowMs, JSON.stringify(nodeErrors)],
  )

const cancelling = `select id from runs where owner = $1 and status = 'CANCEL_REQUESTED'`

/** The runs of this worker that somebody asked to cancel. */
export const runsToCancel = (db: Reader, workerId: string) =>
  db.query<{ id: string }>(cancelling, [workerId]).then((rows) => rows.map((row) => row.id))

/** The same as a statement, to be sent along with others. */
export const findRunsToCancel = (workerId: string): Statement<{ id: string }> => ({
  sql: cancelling,
  rows: [[workerId]],
})

/** Stored before a run continues that another worker had begun; 0 once this has gone well. */
export const setDeaths = (db: Writer, claim: Claim, deaths: number) =>
  updateClaimed(db, 'runs', claim, { set: 'deaths = $4', params: [deaths] })

/**
 * Ends a run that cannot be continued. Its calls may still be under way, so its cost is settled
 * later, like that of any run that did not await its calls.
 */
export const quarantineRun = (
  tx: Tx,
  claim: Claim,
  { nodeErrors, nowMs }: { nodeErrors: readonly RunNodeError[]; nowMs: number },
) =>
  updateClaimed(tx, 'runs', claim, {
    set: `status = case when status = 'CANCEL_REQUESTED' then 'CANCELLED' else 'FAILED' end,
       completed_at = $5, outputs = null, node_errors = $4, in_flight = 1, owner = null`,
    params: [JSON.stringify(nodeErrors), nowMs],
    returning: wholeRun,
  })

// A call that was about to be made when its run ended may not be in the ledger yet.
const lateMs = 2_000

/** Whether calls of runs that have ended are, or were, under way. */
export async function hasLateCalls(db: Reader): Promise<boolean> {
  const some = await db.query(`select 1 as one from runs where in_flight = 1 limit 1`)
  return some.length > 0
}

/** Adds the cost of calls that were under way when their run ended. Returns the number of runs. */
export async function settleLateCosts(db: Db, nowMs: number): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx.query<{ id: string }>(
      `select r.id from runs r where r.in_flight = 1 and r.completed_at <= $1
         and not exists (select 1 from ledger l where l.run_id = r.id and l.outcome = 'PENDING')
         and not exists (select 1 from tasks t where t.run_id = r.id and t.completed_at is null)
         and not ${hasLateMedia('r.id')}
       limit 500 ${db.dialect.skipLocked}`,
      [nowMs - lateMs],
    )
    // A separate statement, so that it sees every correction committed before the lock.
    for (const { id } of rows) {
      await tx.write(
        `update runs set in_flight = 0, cost_micros = coalesce(
           (select sum(l.cost_micros) from ledger l where l.run_id = runs.id), 0)
         where id = $1`,
        [id],
      )
    }
    return rows.length
  })
}

export type NodeAttempt = AbandonedAttempt & {
  /** Its task or, without one, its path in the run. */
  call: string
  outcome: Outcome
  cost_micros: number | null
}

const attemptCall = `coalesce(cast(task_id as text), node_id)`
const ofRun = `select attempt, ${attemptCall} as call, outcome, unit_price, reserved_micros,
  cost_micros from ledger where run_id = $1`

/** What is known about the attempts of one call of a run, or of all; also of tasks not yet sent. */
export const attemptsOf = (db: Reader, runId: string, call?: string) =>
  call === undefined
    ? db.query<NodeAttempt>(
        `${ofRun} union all
         select cast(id as text), cast(id as text), 'PENDING', null, reserved_micros, null from tasks
         where run_id = $1 and completed_at is null and stage = 'READY'`,
        [runId],
      )
    : db.query<NodeAttempt>(`${ofRun} and ${attemptCall} = $2`, [runId, call])

/** Ends the tasks of a run for which nothing has been sent to a provider. */
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

/** Tasks of a run that a provider is working on. */
export const sentTasks = (db: Reader, runId: string) =>
  sentTask.query(
    db,
    `select ${sentTask.columns} from tasks
     where run_id = $1 and completed_at is null and job_ref is not null`,
    [runId],
  )

/** Of these tasks, those that have ended. */
export const endedTasks = (db: Reader, ids: readonly string[]) =>
  endedTask.query(
    db,
    `select ${endedTask.columns} from tasks where completed_at is not null
       and id in (${ids.map((_, i) => `$${i + 1}`).join(', ')})`,
    ids,
  )
