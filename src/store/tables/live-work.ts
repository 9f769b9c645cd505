// What an account has under way, as somebody watches it. Asked every two seconds, so every statement
// reads an index of unfinished work, never the history, and stops after a bounded number of rows.
import type { Reader } from '../db.ts'
import { callTable } from './calls.ts'
import { taskClaims } from './tasks.ts'

/** Counts stop here; beyond it the answer is "at least". */
export const maxCounted = 10_000
/** Which workflows the runs of one state belong to is read for this many: it takes their rows. */
export const maxGrouped = 2_000

export type LiveState = 'running' | 'queued' | 'retrying' | 'waiting'

export type LiveRuns = Record<LiveState, number> & { oldest_at: number | null }

const waits = 'owner is null and completed_at is null and wake_at is null'
/**
 * From the workers to their runs: the account's own index would lead through every run there ever
 * was. A cross join, because SQLite keeps the order of its tables.
 */
const owned = 'from workers w cross join runs r where r.owner = w.id and r.account_id = $1'

/** `retrying`: begun, and released by a worker that could not continue it. */
export async function countLiveRuns(db: Reader, accountId: string): Promise<LiveRuns> {
  const [row] = await db.query<LiveRuns>(
    `select
       (select count(*) from (select 1 as one ${owned} limit ${maxCounted}) as o) as running,
       (select count(*) from (select started_at from runs where account_id = $1 and ${waits}
         order by run_at limit ${maxCounted}) as q where started_at is null) as queued,
       (select count(*) from (select started_at from runs where account_id = $1 and ${waits}
         order by run_at limit ${maxCounted}) as q where started_at is not null) as retrying,
       (select count(*) from (select 1 as one from runs where account_id = $1
         and wake_at is not null limit ${maxCounted}) as s) as waiting,
       (select run_at from runs where account_id = $1 and ${waits} and started_at is null
         order by run_at limit 1) as oldest_at`,
    [accountId],
  )
  return row ?? { running: 0, queued: 0, retrying: 0, waiting: 0, oldest_at: null }
}

export type WorkflowShare = {
  workflow_id: number
  workflow_name: string
  state: LiveState
  runs: number
  oldest_at: number
}

const shared = 'workflow_id, workflow_name, created_at'

/** The same runs by workflow: the oldest `maxGrouped` of those that wait for a worker. */
export const shareByWorkflow = (db: Reader, accountId: string): Promise<WorkflowShare[]> =>
  db.query<WorkflowShare>(
    `select workflow_id, max(workflow_name) as workflow_name, state, count(*) as runs,
       min(created_at) as oldest_at
     from (
       select * from (select ${shared}, 'running' as state ${owned} limit ${maxGrouped}) as o
       union all
       select * from (select ${shared},
           case when started_at is null then 'queued' else 'retrying' end as state
         from runs where account_id = $1 and ${waits} order by run_at limit ${maxGrouped}) as q
       union all
       select * from (select ${shared}, 'waiting' as state from runs
         where account_id = $1 and wake_at is not null limit ${maxGrouped}) as s
     ) as live group by workflow_id, state`,
    [accountId],
  )

export type LiveTasks = { running: number; queued: number; oldest_at: number | null }

export async function countLiveTasks(db: Reader, accountId: string): Promise<LiveTasks> {
  const [row] = await db.query<LiveTasks>(
    `select
       (select count(*) from (select 1 as one from tasks where account_id = $1
         and owner is not null limit ${maxCounted}) as o) as running,
       (select count(*) from (select started_at from tasks where account_id = $1
         and ${taskClaims.waits} order by run_at limit ${maxCounted}) as q
         where started_at is null) as queued,
       (select run_at from tasks where account_id = $1 and ${taskClaims.waits}
         order by run_at limit 1) as oldest_at`,
    [accountId],
  )
  return row ?? { running: 0, queued: 0, oldest_at: null }
}

export type RetryingDeliveries = { count: number; next_at: number | null }

export async function countRetrying(db: Reader, accountId: string): Promise<RetryingDeliveries> {
  const [row] = await db.query<RetryingDeliveries>(
    `select
       (select count(*) from (select 1 as one from deliveries where account_id = $1
         and retry_at is not null limit ${maxCounted}) as d) as count,
       (select retry_at from deliveries where account_id = $1 and retry_at is not null
         order by retry_at limit 1) as next_at`,
    [accountId],
  )
  return row ?? { count: 0, next_at: null }
}

export type CallsInFlight = { provider: string; model: string; calls: number; oldest_at: number }

/** Calls that are stored before they are made: all but chats without a spend limit. */
export const callsInFlight = (db: Reader, accountId: string): Promise<CallsInFlight[]> =>
  db.query<CallsInFlight>(
    `select provider, model, count(*) as calls, min(created_at) as oldest_at
     from (select provider, model, created_at from ledger
       where account_id = $1 and outcome = 'PENDING' limit ${maxCounted}) as pending
     group by provider, model order by count(*) desc, provider, model limit 50`,
    [accountId],
  )

export type KeyCalls = { provider: string; model: string; key: string | null }

const keyCall = callTable.select('provider', 'model', 'via')

/** The same calls with keys of the server, one by one. */
export async function keysInFlight(db: Reader, accountId: string): Promise<KeyCalls[]> {
  const rows = await keyCall.query(
    db,
    `select provider, model, via from ledger where account_id = $1 and outcome = 'PENDING'
     and credential is null limit ${maxGrouped}`,
    [accountId],
  )
  return rows.map(({ provider, model, via }) => ({ provider, model, key: via?.deployment ?? null }))
}
