// Runs as the request side sees them: submitted, read, listed, asked to stop.
import type { PinnedVersion, RunNodeError, RunOptions, RunSpender } from '#core/run-facts.ts'
import type { PackedNode } from '#core/run-nodes.ts'
import type { RunStatus } from '#core/run-states.ts'
import type { Reader, Tx } from '../db.ts'
import {
  bigint,
  integer,
  json,
  lazyJson,
  orNull,
  type Row,
  table,
  text,
  time,
  uuid,
} from '../table.ts'
import { type Listed, type ListName, type ListPage, listBounds, pageRange } from './sequences.ts'

export const runTable = table({
  id: uuid,
  account_id: uuid,
  workflow_id: bigint,
  seq: bigint,
  spender: json<RunSpender>(),
  workflow_name: text(),
  workflow_version: integer,
  data_version: integer,
  called: orNull(json<readonly PinnedVersion[]>()),
  node_count: integer,
  status: text<RunStatus>(),
  /** Like `outputs`, JSON or a reference to it; read through the payload store. */
  inputs: text(),
  metadata: json<Record<string, unknown>>(),
  callback_url: orNull(text()),
  /** Events that its webhook gets besides the end. */
  callback_events: orNull(json<readonly string[]>()),
  max_cost_micros: orNull(bigint),
  options: orNull(json<RunOptions>()),
  idempotency_key: text(),
  fingerprint: text(),
  retry_of: orNull(uuid),
  created_at: time,
  started_at: orNull(time),
  completed_at: orNull(time),
  outputs: orNull(text()),
  node_errors: orNull(json<readonly RunNodeError[]>()),
  /** As `core/run-nodes.ts` packs them. */
  nodes: orNull(lazyJson<readonly PackedNode[]>()),
  completed_nodes: integer,
  skipped_nodes: integer,
  failed_nodes: integer,
  cost_micros: bigint,
  saved_micros: orNull(bigint),
  cancel_requested_at: orNull(time),
  /** JSON, because a text column cannot hold every character. */
  cancel_reason: orNull(json<string>()),
  in_flight: integer,
  owner: orNull(text()),
  epoch: bigint,
  /** How often it was released by a worker that could not continue it. */
  releases: integer,
  /** How often in a row a worker died soon after it took the run over. */
  deaths: integer,
  run_at: time,
  deadline_at: time,
  /** In place of all time limits, if it was submitted with a deadline. */
  must_end_by: orNull(time),
  /** Asleep until then. */
  wake_at: orNull(time),
  /** How often something happened that a sleeping run must be woken for. */
  wakes: bigint,
  slept_at: orNull(time),
  /** The claim that it last fell asleep under; the next one follows a sleep, not a crash. */
  slept_epoch: bigint,
  /** Values that it computed before it fell asleep: JSON or a reference to it. */
  kept: orNull(text()),
})
export const wholeRun = runTable.without('kept')
export type RunRow = Row<typeof wholeRun>

export const runList = (workflowId: number): ListName => `runs:${workflowId}`

const known = runTable.select(
  ...(['id', 'workflow_id', 'status', 'idempotency_key'] as const),
  ...(['fingerprint', 'created_at', 'completed_at', 'wake_at'] as const),
)
export type KnownKey = Row<typeof known>

/** The runs these keys are bound to. */
export const findRunsByKey = (
  db: Reader,
  {
    accountId,
    workflowId,
    keys,
  }: { accountId: string; workflowId: number; keys: readonly string[] },
) =>
  known.query(
    db,
    `select ${known.columns} from runs where account_id = $1 and workflow_id = $2
       and idempotency_key ${db.dialect.inList('$3', 'text')}`,
    [accountId, workflowId, db.dialect.list(keys)],
  )

/** The run this key is bound to. */
export async function findRunByKey(db: Reader, accountId: string, workflowId: number, key: string) {
  const [row] = await known.query(
    db,
    `select ${known.columns} from runs where account_id = $1 and workflow_id = $2 and idempotency_key = $3`,
    [accountId, workflowId, key],
  )
  return row
}

export async function findRun(db: Reader, accountId: string, id: string) {
  const [row] = await wholeRun.query(
    db,
    `select ${wholeRun.columns} from runs where account_id = $1 and id = $2`,
    [accountId, id],
  )
  return row
}

/** In no particular order. */
export const findRunsById = (db: Reader, ids: readonly string[]) =>
  wholeRun.query(
    db,
    `select ${wholeRun.columns} from runs where id ${db.dialect.inList('$1', 'uuid')}`,
    [db.dialect.list(ids)],
  )

const endState = runTable.select('id', 'completed_at', 'wake_at')
export type RunEndState = Row<typeof endState>

/** In no particular order. */
export const readRunEnds = (db: Reader, ids: readonly string[]): Promise<RunEndState[]> =>
  endState.query(
    db,
    `select ${endState.columns} from runs where id ${db.dialect.inList('$1', 'uuid')}`,
    [db.dialect.list(ids)],
  )

export type WorkflowHead = { id: number; name: string; version: number; data_version: number }

/** What a submission needs to know about a workflow, without its graph. */
export async function findWorkflowHead(db: Reader, accountId: string, id: number) {
  const [row] = await db.query<WorkflowHead>(
    `select id, name, version, data_version from workflows where account_id = $1 and id = $2`,
    [accountId, id],
  )
  return row
}

/** Without columns that may be long or that only workers need. */
export const listedRun = runTable.without(
  ...(['outputs', 'inputs', 'nodes', 'spender', 'called', 'kept'] as const),
)
export type RunListRow = Row<typeof listedRun>

/** Nobody works on it until its time or an answer comes. One that is being cancelled is not left to sleep. */
export const isAsleep = ({ status, wake_at }: Pick<RunListRow, 'status' | 'wake_at'>): boolean =>
  status === 'RUNNING' && wake_at !== null

export async function listRuns(
  db: Reader,
  accountId: string,
  workflowId: number,
  page: ListPage,
): Promise<Listed<RunListRow>> {
  const bounds = await listBounds(db, accountId, runList(workflowId))
  const { newest, oldest, ...position } = pageRange(bounds, page)
  if (newest < oldest) return { rows: [], ...position }
  const rows = await listedRun.query(
    db,
    `select ${listedRun.columns} from runs
     where account_id = $1 and workflow_id = $2 and seq between $3 and $4 order by seq desc`,
    [accountId, workflowId, oldest, newest],
  )
  return { rows, ...position }
}

/** Whether some run has no worker (0 or 1), and how many of these have never begun. */
export type WaitingRuns = { any: number; unbegun: number }

/**
 * Stops counting at `limit`; begun ones that wait again do not hide those that have not begun, and
 * are not read. The `order by` makes SQLite use the index of waiting runs; without it, SQLite would
 * read every run the account ever had.
 */
export async function countQueuedRuns(
  db: Reader,
  accountId: string,
  limit: number,
): Promise<WaitingRuns> {
  const waiting = 'account_id = $1 and owner is null and completed_at is null and wake_at is null'
  const count = (where: string, most: string) =>
    `(select count(*) from (select 1 as one from runs where ${where} limit ${most}) as w)`
  const [row] = await db.query<WaitingRuns>(
    `select ${count(`${waiting} order by run_at`, '1')} as "any",
       ${count(`${waiting} and started_at is null`, '$2')} as unbegun`,
    [accountId, limit],
  )
  return row ?? { any: 0, unbegun: 0 }
}

/**
 * Whether a run must not begin anything more: it was asked to stop, has failed or has ended. If not,
 * none of this is stored before the transaction is over.
 */
export async function hasRunStopped(tx: Tx, runId: string): Promise<boolean> {
  const [run] = await tx.query<{ begins: number }>(
    `select case when cancel_requested_at is null and node_errors is null and completed_at is null
       then 1 else 0 end as begins
     from runs where id = $1 ${tx.dialect.share}`,
    [runId],
  )
  return run?.begins === 0
}

/** Whether calls of a run may still finish and be billed. */
export async function hasCallsInFlight(db: Reader, runId: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one from tasks where run_id = $1 and completed_at is null
     union all
     select 1 as one from ledger l where run_id = $1 and outcome = 'PENDING'
       and not exists (select 1 from economy_calls e
         where e.id = l.attempt and e.status in ('QUEUED', 'DROPPED')) limit 1`,
    [runId],
  )
  return rows.length > 0
}
