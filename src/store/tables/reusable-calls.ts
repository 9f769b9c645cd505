// The keys of finished calls, by account. They are copied here from `steps` when somebody looks for
// one, so that accounts that never do pay nothing for it.
import { firstUuidAt } from '#core/ids.ts'
import type { ReusableCall } from '#core/reused-call.ts'
import type { DoneStep } from '#core/step-states.ts'
import type { Db, Reader, Statement, Writer } from '../db.ts'
import { manyRows } from '../many-rows.ts'
import { integer, json, orNull, table, text, time, uuid } from '../table.ts'

const keyTable = table({
  account_id: uuid,
  key: text(),
  started_at: time,
  run_id: uuid,
  path: text(),
})
const marks = table({ account_id: uuid, upto: uuid, unfinished: json<readonly string[]>() })
const runsAtOnce = 200
/** Unfinished runs that are looked at again each time, the newest first. */
const maxUnfinished = 1_000
/** A run with an earlier identifier may be committed so much later. */
const lagMs = 60_000
const first = '00000000-0000-0000-0000-000000000000'

type Found = { id: string; completed_at: number | null }

/**
 * Copies what is missing. `seen`: runs that had ended and were copied by this process a moment ago.
 */
export async function catchUp(
  db: Db,
  accountId: string,
  { nowMs, seen }: { nowMs: number; seen: Set<string> },
): Promise<void> {
  const [mark] = await marks.all.query(
    db,
    `select ${marks.all.columns} from reuse_marks where account_id = $1`,
    [accountId],
  )
  const settled = firstUuidAt(nowMs - lagMs)
  const known = await unfinishedAmong(db, mark?.unfinished ?? [])
  await copyKeys(db, accountId, mark?.unfinished ?? [])
  const unfinished = [...known]
  let upto = mark?.upto ?? first
  for (let after = upto, isMore = true; isMore; ) {
    const runs = await db.query<Found>(
      `select id, completed_at from runs where account_id = $1 and id > $2 order by id limit $3`,
      [accountId, after, runsAtOnce],
    )
    await copyKeys(
      db,
      accountId,
      runs.map(({ id }) => id).filter((id) => !seen.has(id)),
    )
    for (const { id, completed_at } of runs) {
      after = id
      if (completed_at !== null && id >= settled) seen.add(id)
      if (id >= settled) continue
      upto = id
      seen.delete(id)
      if (completed_at === null) unfinished.push(id)
    }
    isMore = runs.length === runsAtOnce
  }
  const isSame = upto === mark?.upto && unfinished.length === mark.unfinished.length
  if (!isSame)
    await setMark(db, { account_id: accountId, upto, unfinished: unfinished.slice(-maxUnfinished) })
}

async function unfinishedAmong(db: Reader, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db.query<{ id: string }>(
    `select id from runs where id ${db.dialect.inList('$1', 'uuid')} and completed_at is null
     order by id`,
    [db.dialect.list(ids)],
  )
  return rows.map(({ id }) => id)
}

const setMark = (db: Writer, mark: { account_id: string; upto: string; unfinished: string[] }) =>
  db.write(
    `insert into reuse_marks (account_id, upto, unfinished) values ($1, $2, $3)
     on conflict (account_id) do update set upto = excluded.upto, unfinished = excluded.unfinished`,
    [mark.account_id, mark.upto, JSON.stringify(mark.unfinished)],
  )

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

async function copyKeys(db: Db, accountId: string, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return
  const missing = await db.query<Keyed>(
    `select s.run_id, s.path, s.reuse as key, s.started_at from steps s
     where s.run_id ${db.dialect.inList('$2', 'uuid')} and s.status = 'DONE'
       and s.reuse is not null and substr(s.reuse, 1, 1) <> '{'
       and not exists (select 1 from reusable_calls c where c.account_id = $1 and c.key = s.reuse
         and c.started_at = s.started_at and c.run_id = s.run_id and c.path = s.path)`,
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
    {
      sql: `insert into reusable_calls (account_id, key, started_at, run_id, path)
        select r.account_id, s.reuse, s.started_at, s.run_id, s.path
        from steps s join runs r on r.id = s.run_id
        where s.run_id = $1 and s.path = $2 and s.status = 'DONE' and s.reuse = $3
          and r.account_id = $4
        on conflict do nothing`,
      rows: [[run_id, path, reuse, accountId]],
    },
  ]
}

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
