// The ledger as people read it: the calls of a task, a run, an answer, or a span of time. Every
// request reads a bounded number of rows, however rare its matches are.
import type { UnitPrices } from '#core/pricing.ts'
import type { Via } from '#core/route.ts'
import type { Param, Reader } from '../db.ts'
import { bigint, json, orNull, type Row, table, text, time, uuid } from '../table.ts'
import type { Attempt } from './ledger.ts'
import type { Outcome, Remark, Units } from './settlement.ts'

export const callTable = table({
  attempt: text(),
  key_id: orNull(uuid),
  task_id: orNull(uuid),
  run_id: orNull(uuid),
  node_id: orNull(text()),
  workflow_id: orNull(bigint),
  operation: text<Attempt['operation']>(),
  provider: text(),
  credential: orNull(text()),
  tag: orNull(text()),
  via: orNull(json<Via>()),
  model: text(),
  units: orNull(json<Units>()),
  unit_price: orNull(json<UnitPrices & { currency: string }>()),
  cost_micros: orNull(bigint),
  outcome: text<Outcome>(),
  remark: orNull(text<Remark>()),
  created_at: time,
  settled_at: orNull(time),
})
const calls = callTable.all
const { columns } = calls

export type CallRow = Row<typeof calls>

type CallOwner = { runId: string } | { taskId: string } | { attempt: string }
/** Calls that were settled at or after `fromMs` and before `toMs`. */
type CallSpan = { fromMs: number; toMs: number }

/** Null selects calls without a key or tag, or outside any workflow. */
export type CallFilter = {
  model?: string | undefined
  keyId?: string | null | undefined
  workflowId?: number | null | undefined
  tag?: string | null | undefined
  /** Only calls that count as spent although nobody knows what they cost. */
  isUnsettled?: boolean | undefined
}

/** The time by which the list is ordered, and the attempt. */
export type CallPosition = readonly [atMs: number, attempt: string]
type CallPage = { rows: CallRow[]; next: CallPosition | null }
type From = { before: CallPosition | null; limit: number }

/** How many windows, of how many rows, a request may read; numbered-windows.ts says why. */
const rowsPerWindow = 2_000
const windows = 5

/** The attempts of one task, oldest first: a handful. */
export const callsOfTask = (db: Reader, accountId: string, taskId: string) =>
  calls.query(
    db,
    `select ${columns} from ledger where task_id = $2 and account_id = $1
     order by created_at, attempt limit ${rowsPerWindow}`,
    [accountId, taskId],
  )

/** Newest first. The calls of a run, task or answer include those under way. */
export const listCalls = (
  db: Reader,
  accountId: string,
  which: CallOwner | CallSpan,
  filter: CallFilter,
  from: { before: CallPosition | null; limit: number },
): Promise<CallPage> =>
  'fromMs' in which
    ? callsBetween(db, accountId, which, filter, from)
    : callsOf(db, accountId, which, filter, from)

async function callsOf(
  db: Reader,
  accountId: string,
  owner: CallOwner,
  filter: CallFilter,
  { before, limit }: From,
): Promise<CallPage> {
  const [column, id] = columnOf(owner)
  const params: Param[] = [accountId, id]
  const conditions = conditionsOf(filter, params)
  const rows = await calls.query(
    db,
    `select ${columns} from ledger where ${column} = $2 and account_id = $1
       ${olderThan('created_at', before, params)} ${conditions}
     order by created_at desc, attempt desc limit ${limit + 1}`,
    params,
  )
  return pageOf(rows, limit, (row) => [row.created_at, row.attempt])
}

function columnOf(owner: CallOwner): [column: string, id: string] {
  if ('runId' in owner) return ['run_id', owner.runId]
  return 'taskId' in owner ? ['task_id', owner.taskId] : ['attempt', owner.attempt]
}

async function callsBetween(
  db: Reader,
  accountId: string,
  { fromMs, toMs }: CallSpan,
  filter: CallFilter,
  { before, limit }: From,
): Promise<CallPage> {
  const rows: CallRow[] = []
  let position = before
  for (let window = 0; window < windows; window++) {
    const params: Param[] = [accountId, fromMs, toMs]
    const recent = `from ledger where account_id = $1 and settled_at >= $2 and settled_at < $3
       ${olderThan('settled_at', position, params)} order by settled_at desc, attempt desc`
    const end = await endOfWindow(db, recent, params)
    const conditions = conditionsOf(filter, params)
    const found = await calls.query(
      db,
      `select * from (select ${columns} ${recent} limit ${rowsPerWindow}) as recent
       where 1 = 1 ${conditions}
       order by settled_at desc, attempt desc limit ${limit + 1 - rows.length}`,
      params,
    )
    rows.push(...found)
    if (rows.length > limit || end === null) {
      return pageOf(rows, limit, (row) => [row.settled_at ?? 0, row.attempt])
    }
    position = end
  }
  return { rows, next: position }
}

/** The last position of the window; null if the list ends within it. */
async function endOfWindow(db: Reader, recent: string, params: readonly Param[]) {
  const [last] = await db.query<{ settled_at: number; attempt: string }>(
    `select settled_at, attempt ${recent} limit 1 offset ${rowsPerWindow - 1}`,
    params,
  )
  return last ? ([last.settled_at, last.attempt] as const) : null
}

function olderThan(column: string, before: CallPosition | null, params: Param[]): string {
  if (before === null) return ''
  const [atMs, attempt] = before
  return `and (${column}, attempt) < ($${params.push(atMs)}, $${params.push(attempt)})`
}

function conditionsOf(filter: CallFilter, params: Param[]): string {
  const { model, keyId, workflowId, tag, isUnsettled } = filter
  const columns = { model, key_id: keyId, workflow_id: workflowId, tag }
  const conditions = Object.entries(columns)
    .map(([column, value]) => {
      if (value === undefined) return ''
      return value === null ? `and ${column} is null` : `and ${column} = $${params.push(value)}`
    })
    .join(' ')
  return isUnsettled ? `${conditions} and ${unsettled}` : conditions
}

const unsettled = `outcome = 'UNKNOWN' and coalesce(remark, '') <> 'SETTLED'`

/** Null if there is no such call, or if it is settled. */
export async function findUnsettled(
  db: Reader,
  accountId: string,
  attempt: string,
): Promise<CallRow | null> {
  const [row] = await calls.query(
    db,
    `select ${columns} from ledger where account_id = $1 and attempt = $2 and ${unsettled}`,
    [accountId, attempt],
  )
  return row ?? null
}

function pageOf(rows: CallRow[], limit: number, positionOf: (row: CallRow) => CallPosition) {
  const last = rows[limit - 1]
  const next = rows.length > limit && last ? positionOf(last) : null
  return { rows: rows.slice(0, limit), next }
}
