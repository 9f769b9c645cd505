// What runs wait for. Every change of a wait first updates the row of its run: whoever comes second
// sees what the first did, and a run that is just falling asleep notices (`wakes`).
//
//   OPEN ── answer ──▶ ANSWERED        OPEN ── its time ──▶ PASSED (delay) | EXPIRED
//   OPEN ── the run fails, is cancelled or ends ──▶ CANCELLED
import type { WaitDetails, WaitKind, WaitStatus } from '#core/wait-facts.ts'
import type { Reader, Statement, Tx } from '../db.ts'
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
  kind: text<WaitKind>(),
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
export const wholeWait = waitTable.all
export type WaitRow = Row<typeof wholeWait>

const opened = [
  ...(['id', 'account_id', 'run_id', 'path', 'node_id', 'kind', 'title', 'created_at'] as const),
  ...(['expires_at', 'value', 'value_digest', 'details'] as const),
] as const
export type NewWait = Pick<WaitRow, (typeof opened)[number]>

const types = waitTable.types(...opened)

const openStatement = manyRows<Record<keyof typeof types, string | number | null>>(
  types,
  ({ insert, of }) => `insert into waits (${opened.join(', ')}, status)
    ${insert([...opened.map(of), `'OPEN'`])} on conflict (run_id, path) do nothing`,
)

/** Stored together with the steps of the same paths. */
export const openWaits = (dialect: Dialect, waits: readonly NewWait[]): Statement =>
  openStatement(dialect, waits.map(waitTable.encode))

/** Of one run, in the order in which they were opened. */
export const waitsOfRun = (db: Reader, accountId: string, runId: string) =>
  wholeWait.query(
    db,
    `select ${wholeWait.columns} from waits where account_id = $1 and run_id = $2 order by id`,
    [accountId, runId],
  )

/** `wakeRun` comes first: it locks the run. */
export async function findWait(db: Reader, accountId: string, runId: string, id: string) {
  const [row] = await wholeWait.query(
    db,
    `select ${wholeWait.columns} from waits where account_id = $1 and run_id = $2 and id = $3`,
    [accountId, runId, id],
  )
  return row
}

/** Nobody can answer a run that fails or ends; its row must have been updated before. */
export const closeWaitsOfRun = (runId: string): Statement => closeWaitsOfRuns([runId])

export const closeWaitsOfRuns = (runIds: readonly string[]): Statement => ({
  sql: `update waits set status = 'CANCELLED' where run_id = $1 and status = 'OPEN'`,
  rows: runIds.map((id) => [id]),
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
