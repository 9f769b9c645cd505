// What runs wait for. Every change of a wait first updates the row of its run: whoever comes second
// sees what the first did, and a run that is just falling asleep notices (`wakes`).
//
//   OPEN ── answer ──▶ ANSWERED        OPEN ── its time ──▶ PASSED (delay) | EXPIRED
//   OPEN ── the run fails, is cancelled or ends ──▶ CANCELLED
import type { StoredWaitKind, WaitDetails, WaitKind, WaitStatus } from '#core/wait-facts.ts'
import type { Db, Reader, Statement, Tx } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import { manyRows } from '../many-rows.ts'
import { json, orNull, type Row, table, text, time, uuid } from '../table.ts'

const waitTable = table({
  id: uuid,
  account_id: uuid,
  run_id: uuid,
  /** Of its step. */
  path: text(),
  /** The node of the run's own graph. */
  node_id: text(),
  kind: text<StoredWaitKind>(),
  title: text(),
  status: text<WaitStatus>(),
  created_at: time,
  expires_at: time,
  /** JSON or a reference to it, like the result of a step. */
  value: text(),
  value_digest: text(),
  details: json<WaitDetails>(),
  /** JSON of a `WaitAnswer`, or a reference to it. */
  answer: orNull(text()),
  answered_by: orNull(text()),
  answered_at: orNull(time),
  answered_from: orNull(text()),
})
type StoredWait = Row<typeof waitTable.all>
/** As people and machines outside see it: without those for a batch. */
export type WaitRow = StoredWait & { kind: WaitKind }
export const wholeWait = waitTable.all.states<WaitRow>()

const given = [
  ...(['id', 'account_id', 'run_id', 'path', 'node_id', 'kind', 'title'] as const),
  ...(['value', 'value_digest', 'details'] as const),
] as const
/** Due at a time, or after a while by the database's clock. */
export type NewWait = Pick<StoredWait, (typeof given)[number]> & {
  until_ms: number | null
  after_ms: number | null
}

const cells = { ...waitTable.types(...given), until_ms: 'bigint', after_ms: 'bigint' } as const

/** A wait that was just stored, with the time left by the database's clock. */
export type OpenedWait = Pick<WaitRow, 'id' | 'run_id' | 'path' | 'expires_at'> & {
  left_ms: number
}

/** SQL, because both databases must use their own clock for all of it. */
const openStatement = (nowMs: string) =>
  manyRows<Record<keyof typeof cells, string | number | null>, OpenedWait>(
    cells,
    ({ insert, of }) => `insert into waits (${given.join(', ')}, status, created_at, expires_at)
      ${insert([
        ...given.map(of),
        ...[`'OPEN'`, nowMs, `coalesce(${of('until_ms')}, ${nowMs} + ${of('after_ms')})`],
      ])}
      on conflict (run_id, path) do update set path = excluded.path
      returning id, run_id, path, expires_at, expires_at - ${nowMs} as left_ms`,
  )
const openStatements = new Map<string, ReturnType<typeof openStatement>>()

/** Stored together with the steps of the same paths; one that is stored already stays. */
export function openWaits(dialect: Dialect, waits: readonly NewWait[]): Statement<OpenedWait> {
  const { nowMs } = dialect
  const statement = openStatements.get(nowMs) ?? openStatement(nowMs)
  openStatements.set(nowMs, statement)
  return statement(
    dialect,
    waits.map(({ until_ms, after_ms, ...wait }) => ({
      ...waitTable.encode<(typeof given)[number]>(wait),
      ...{ until_ms, after_ms },
    })),
  )
}

/** More than a run may have open at once. One with a long list may have had thousands. */
const maxOfRun = 200

/** The newest of one run, or of those that are open, in the order in which they were opened. */
export async function waitsOfRun(
  db: Reader,
  accountId: string,
  runId: string,
  only?: 'open',
): Promise<WaitRow[]> {
  const rows = await wholeWait.query(
    db,
    `select ${wholeWait.columns} from waits
     where account_id = $1 and run_id = $2 and kind <> 'BATCH'
       ${only ? `and status = 'OPEN'` : ''} order by id desc limit ${maxOfRun}`,
    [accountId, runId],
  )
  return rows.reverse()
}

/** More than the runs of a page have, unless they ask for each item of a long list. */
const maxWaits = 500

const openWait = waitTable.select('run_id', 'kind', 'title', 'expires_at')
export type OpenWait = Row<typeof openWait>
/** What these runs wait for, in the order in which it was opened. */
export const openWaitsOf = (db: Reader, accountId: string, runIds: readonly string[]) =>
  openWait.query(
    db,
    `select ${openWait.columns} from waits
     where account_id = $1 and run_id ${db.dialect.inList('$2', 'uuid')}
       and status = 'OPEN' and kind <> 'BATCH'
     order by id limit ${maxWaits}`,
    [accountId, db.dialect.list(runIds)],
  )

const approval = waitTable.select('run_id', 'answer')

/** What people answered in these runs when asked for their approval, newest first. */
export const approvalAnswers = (db: Reader, accountId: string, runIds: readonly string[]) =>
  approval.query(
    db,
    `select ${approval.columns} from waits
     where account_id = $1 and run_id ${db.dialect.inList('$2', 'uuid')}
       and kind = 'APPROVAL' and status = 'ANSWERED'
     order by id desc limit ${maxWaits}`,
    [accountId, db.dialect.list(runIds)],
  )

/** `wakeRun` comes first: it locks the run. */
export async function findWait(db: Reader, accountId: string, runId: string, id: string) {
  const [row] = await wholeWait.query(
    db,
    `select ${wholeWait.columns} from waits
     where account_id = $1 and run_id = $2 and id = $3 and kind <> 'BATCH'`,
    [accountId, runId, id],
  )
  return row
}

const runWait = waitTable
  .select('id', 'run_id', 'path', 'kind', 'status', 'expires_at', 'answer', 'answered_at')
  .beside<{ left_ms: number }>()
/** What the worker of a run needs to know about a wait. */
export type RunWait = Row<typeof runWait>

export const workersWaits = (db: Reader, runIds: readonly string[]) =>
  runWait.query(
    db,
    `select ${runWait.columns}, expires_at - ${db.dialect.nowMs} as left_ms from waits
     where run_id ${db.dialect.inList('$1', 'uuid')}`,
    [db.dialect.list(runIds)],
  )

/** Must be read before their waits. */
export const wakesOf = (db: Reader, runIds: readonly string[]) =>
  db.query<{ id: string; wakes: number }>(
    `select id, wakes from runs where id ${db.dialect.inList('$1', 'uuid')}`,
    [db.dialect.list(runIds)],
  )

/** Nobody can answer a run that fails or ends; its row must have been updated before. */
export const closeWaitsOfRuns = (
  { inList, list }: Dialect,
  runIds: readonly string[],
): Statement => ({
  sql: `update waits set status = 'CANCELLED'
    where run_id ${inList('$1', 'uuid')} and status = 'OPEN'`,
  rows: runIds.length === 0 ? [] : [[list(runIds)]],
})

/** Part of a run that goes on no longer waits for it. */
export const cancelWait = (
  db: Db,
  accountId: string,
  { id, run_id }: Pick<OpenedWait, 'id' | 'run_id'>,
): Promise<void> =>
  db.transaction(async (tx) => {
    await wakeRun(tx, accountId, run_id)
    await tx.write(
      `update waits set status = 'CANCELLED' where account_id = $1 and id = $2 and status = 'OPEN'`,
      [accountId, id],
    )
  })

export type WokenRun = {
  /** No longer, once it was asked to stop or has failed. */
  canBeAnswered: boolean
}

/**
 * The first write of everything that a run may be waiting for. Locks its row until the transaction
 * ends; a sleeping run can be claimed after that. Undefined if the run has ended.
 */
export async function wakeRun(
  tx: Tx,
  accountId: string,
  runId: string,
): Promise<WokenRun | undefined> {
  const [row] = await tx.write<{ owner: string | null; goes_on: number }>(
    `update runs set wakes = wakes + 1, wake_at = null,
       run_at = case when wake_at is null then run_at else ${tx.dialect.nowMs} end
     where account_id = $1 and id = $2 and completed_at is null
     returning owner, case when cancel_requested_at is null and node_errors is null
       then 1 else 0 end as goes_on`,
    [accountId, runId],
  )
  if (!row) return undefined
  // Its worker looks at what it waits for; without one, any worker may claim it.
  tx.notify(row.owner === null ? 'runs' : 'waits')
  return { canBeAnswered: row.goes_on === 1 }
}

/** Stores an answer to a wait that `findWait` found open after `wakeRun`. */
export const answerWait = (
  tx: Tx,
  wait: Pick<WaitRow, 'account_id' | 'id'>,
  answer: { held: string; by: string; from: string | null; nowMs: number },
) =>
  tx.write(
    `update waits set status = 'ANSWERED', answer = $3, answered_by = $4, answered_from = $5,
       answered_at = $6
     where account_id = $1 and id = $2 and status = 'OPEN'`,
    [wait.account_id, wait.id, answer.held, answer.by, answer.from, answer.nowMs],
  )
