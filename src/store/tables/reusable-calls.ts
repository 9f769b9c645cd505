// The keys of finished calls, by account. They are copied here from `steps` when somebody looks for
// one (reuse-marks.ts), so that accounts that never do pay nothing for it.
import type { ReusableCall } from '#core/reused-call.ts'
import type { DoneStep } from '#core/step-states.ts'
import type { Db, Reader, Statement } from '../db.ts'
import { manyRows } from '../many-rows.ts'
import { integer, orNull, table, text, time, uuid } from '../table.ts'

const keyTable = table({
  account_id: uuid,
  key: text(),
  started_at: time,
  run_id: uuid,
  path: text(),
})

type Keyed = { run_id: string; path: string; key: string; started_at: number }

const columns = keyTable.types('account_id', 'key', 'started_at', 'run_id', 'path')
const insertKeys = manyRows<Record<keyof typeof columns, string | number>>(
  columns,
  ({ insert, of }) => {
    const names = Object.keys(columns)
    return `insert into reusable_calls (${names.join(', ')}) ${insert(names.map(of))}
      on conflict do nothing`
  },
)

export async function copyKeys(
  db: Db,
  accountId: string,
  runIds: readonly string[],
): Promise<void> {
  if (runIds.length === 0) return
  // One look-up for each step: as a join, PostgreSQL may compare each with all keys of the account.
  const missing = await db.query<Keyed>(
    `select s.run_id, s.path, s.reuse as key, s.started_at from steps s
     where s.run_id ${db.dialect.inList('$2', 'uuid')} and s.status = 'DONE'
       and s.reuse is not null and substr(s.reuse, 1, 1) <> '{'
       and (select 1 from reusable_calls c where c.account_id = $1 and c.key = s.reuse
         and c.started_at = s.started_at and c.run_id = s.run_id and c.path = s.path) is null`,
    [accountId, db.dialect.list(runIds)],
  )
  if (missing.length === 0) return
  const rows = missing.map((one) => ({ account_id: accountId, ...one }))
  await db.writeAll(() => [insertKeys(db.dialect, rows)])
}

const found = table({
  run_id: uuid,
  path: text(),
  ended_at: time,
  cost_micros: orNull(time),
  task_id: orNull(uuid),
  attempts: integer,
  result: text(),
})

/** The newest call with this key that was not answered before then. */
export async function findReusable(
  db: Reader,
  accountId: string,
  { key, sinceMs }: { key: string; sinceMs: number },
): Promise<ReusableCall | null> {
  const [call] = await found.all.query(
    db,
    `select ${found.all.of('s')} from reusable_calls c
     join steps s on s.run_id = c.run_id and s.path = c.path
     where c.account_id = $1 and c.key = $2 and s.reuse = c.key and s.status = 'DONE'
       and s.ended_at >= $3
     order by c.started_at desc, c.run_id desc, c.path desc limit 1`,
    [accountId, key, sinceMs],
  )
  if (!call) return null
  const { run_id: runId, path, ended_at: atMs, task_id: taskId, attempts, result } = call
  return { runId, path, atMs, savedMicros: call.cost_micros ?? 0, taskId, attempts, result }
}

const underWay = table({ run_id: uuid, path: text(), task_id: uuid })

/** Whose call it is, and the task that makes it. */
export type PictureUnderWay = { runId: string; path: string; taskId: string }

/** This run, and those that it has retried. */
const retried = `with recursive retried(id, before) as (
    select id, retry_of from runs where id = $3
    union all select r.id, r.retry_of from runs r join retried on r.id = retried.before)
  select id from retried`

/** `runId`: of this run and those that it has retried; null: of any. */
export type AskedUnderWay = { key: string; sinceMs: number; runId: string | null }

/**
 * One that was not sent may wait for long, and would be dropped if its run were cancelled. One that
 * was made is among them as well: its run may not have learnt that yet.
 */
export async function findUnderWay(
  db: Reader,
  accountId: string,
  { key, sinceMs, runId }: AskedUnderWay,
): Promise<PictureUnderWay[]> {
  const tasks = await underWay.all.query(
    db,
    `select ${underWay.all.of('s')} from tasks t
     join steps s on s.run_id = t.run_id and s.task_id = t.id
     where t.account_id = $1 and t.reuse_key = $2
       and (t.completed_at is null and t.stage <> 'READY'
         or t.status = 'COMPLETED' and t.completed_at >= $4 and s.reuse = t.reuse_key)
       and (t.run_id in (${retried}) or $3 is null)
     order by t.submitted_at`,
    [accountId, key, runId, sinceMs],
  )
  return tasks.map(({ run_id, path, task_id }) => ({ runId: run_id, path, taskId: task_id }))
}

/** Ends a call that its run has not ended, and copies its key: runs that have ended are copied once. */
export function keepLateCall(accountId: string, step: DoneStep): Statement[] {
  const { run_id, path, ended_at, task_id, result, cost_micros, reuse = null } = step
  return [
    {
      sql: `update steps set status = 'DONE', ended_at = $3, task_id = $4, result = $5,
          cost_micros = $6, reuse = $7
        where run_id = $1 and path = $2 and status = 'STARTED'`,
      rows: [[run_id, path, ended_at, task_id, result, cost_micros, reuse]],
    },
    copyLateKey(accountId, { run_id, path, reuse }),
  ]
}

export const copyLateKey = (
  accountId: string,
  { run_id, path, reuse }: { run_id: string; path: string; reuse: string | null },
): Statement => ({
  sql: `insert into reusable_calls (account_id, key, started_at, run_id, path)
    select r.account_id, s.reuse, s.started_at, s.run_id, s.path
    from steps s join runs r on r.id = s.run_id
    where s.run_id = $1 and s.path = $2 and s.status = 'DONE' and s.reuse = $3
      and r.account_id = $4
    on conflict do nothing`,
  rows: [[run_id, path, reuse, accountId]],
})

/** Their answers are not reused any more: their nodes could not use them. */
export const spoilCalls = (
  accountId: string,
  calls: readonly { runId: string; path: string }[],
): Statement[] => [
  {
    sql: `delete from reusable_calls where account_id = $1 and run_id = $2 and path = $3
      and key in (select reuse from steps where run_id = $2 and path = $3)`,
    rows: calls.map(({ runId, path }) => [accountId, runId, path]),
  },
  {
    sql: 'update steps set reuse = null where run_id = $1 and path = $2',
    rows: calls.map(({ runId, path }) => [runId, path]),
  },
]

/** Before their steps are deleted. */
export const forgetKeysOf = (accountId: string, runIds: readonly string[]): Statement => ({
  sql: `delete from reusable_calls where account_id = $1 and run_id = $2
    and key in (select reuse from steps where run_id = $2)`,
  rows: runIds.map((id) => [accountId, id]),
})
