// Runs as the request side sees them: submitted, read, listed, asked to stop.
import { type RunStatus, statesBefore } from '#core/run-states.ts'
import type { Db, Reader, Tx } from '../db.ts'
import { type ListName, listBounds, lockList, moveListStart, pageRange } from './sequences.ts'

/** JSON members are kept as text; the caller knows their shape. */
export type RunRow = {
  id: string
  account_id: string
  workflow_id: number
  seq: number
  spender: string
  workflow_name: string
  workflow_version: number
  data_version: number
  called: string | null
  node_count: number
  status: RunStatus
  inputs: string
  metadata: string
  callback_url: string | null
  max_cost_micros: number | null
  idempotency_key: string
  fingerprint: string
  retry_of: string | null
  created_at: number
  started_at: number | null
  completed_at: number | null
  outputs: string | null
  node_errors: string | null
  nodes: string | null
  completed_nodes: number
  skipped_nodes: number
  failed_nodes: number
  cost_micros: number
  cancel_requested_at: number | null
  cancel_reason: string | null
  in_flight: number
  owner: string | null
  epoch: number
  /** How often a worker could not go on with it. */
  releases: number
  run_at: number
  deadline_at: number
}

export const runList = (workflowId: number): ListName => `runs:${workflowId}`

export type KnownKey = Pick<
  RunRow,
  | 'id'
  | 'workflow_id'
  | 'status'
  | 'idempotency_key'
  | 'fingerprint'
  | 'created_at'
  | 'completed_at'
>

/** The runs these keys are bound to. */
export const findRunsByKey = (
  db: Reader,
  {
    accountId,
    workflowId,
    keys,
  }: { accountId: string; workflowId: number; keys: readonly string[] },
) =>
  db.query<KnownKey>(
    `select id, workflow_id, status, idempotency_key, fingerprint, created_at, completed_at
     from runs where account_id = $1 and workflow_id = $2
       and idempotency_key ${db.dialect.inList('$3', 'text')}`,
    [accountId, workflowId, db.dialect.list(keys)],
  )

/** The run this key is bound to. */
export async function findRunByKey(db: Reader, accountId: string, workflowId: number, key: string) {
  const [row] = await db.query<KnownKey>(
    `select id, workflow_id, status, idempotency_key, fingerprint, created_at, completed_at
     from runs where account_id = $1 and workflow_id = $2 and idempotency_key = $3`,
    [accountId, workflowId, key],
  )
  return row
}

export async function findRun(db: Reader, accountId: string, id: string) {
  const [row] = await db.query<RunRow>(`select * from runs where account_id = $1 and id = $2`, [
    accountId,
    id,
  ])
  return row
}

/** In no order. */
export const findRunsById = (db: Reader, ids: readonly string[]) =>
  db.query<RunRow>(`select * from runs where id ${db.dialect.inList('$1', 'uuid')}`, [
    db.dialect.list(ids),
  ])

export type WorkflowHead = { id: number; name: string; version: number; data_version: number }

/** What a submission needs of a workflow, without its graph. */
export async function findWorkflowHead(db: Reader, accountId: string, id: number) {
  const [row] = await db.query<WorkflowHead>(
    `select id, name, version, data_version from workflows where account_id = $1 and id = $2`,
    [accountId, id],
  )
  return row
}

export type RunListRow = Omit<RunRow, 'outputs' | 'inputs' | 'nodes'>

export const listedColumns = `id, account_id, workflow_id, seq, spender, workflow_name, workflow_version,
  data_version, called, node_count, status, metadata, callback_url, max_cost_micros,
  idempotency_key, fingerprint, retry_of, created_at, started_at, completed_at, node_errors,
  completed_nodes, skipped_nodes, failed_nodes, cost_micros, cancel_requested_at, cancel_reason,
  in_flight, owner, epoch, run_at, deadline_at`

export async function listRuns(
  db: Reader,
  accountId: string,
  workflowId: number,
  { page, size }: { page: number; size: number },
): Promise<{ rows: RunListRow[]; total: number }> {
  const bounds = await listBounds(db, accountId, runList(workflowId))
  const { newest, oldest } = pageRange(bounds, page, size)
  const total = bounds.lastSeq - bounds.removedSeq
  if (newest < oldest) return { rows: [], total }
  const rows = await db.query<RunListRow>(
    `select ${listedColumns} from runs
     where account_id = $1 and workflow_id = $2 and seq between $3 and $4 order by seq desc`,
    [accountId, workflowId, oldest, newest],
  )
  return { rows, total }
}

/**
 * Stops counting at `limit`. The order asks for the index of waiting runs: without it SQLite walks
 * through every run the account ever had.
 */
export async function countQueuedRuns(
  db: Reader,
  accountId: string,
  limit: number,
): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `select count(*) as n from (select 1 as one from runs
       where account_id = $1 and owner is null and completed_at is null
       order by run_at limit $2) as waiting`,
    [accountId, limit],
  )
  return row?.n ?? 0
}

const words = (statuses: readonly RunStatus[]) => statuses.map((status) => `'${status}'`).join(', ')

export type CancelledRun = { row: RunRow; accepted: boolean; endedNow: boolean }

/**
 * Stores the request. A run nobody has begun ends in the same transaction; `undefined` if there
 * is no such run. The first reason stays.
 */
export async function requestCancel(
  tx: Tx,
  accountId: string,
  id: string,
  { reason, nowMs }: { reason: string | null; nowMs: number },
): Promise<CancelledRun | undefined> {
  // One statement per transition: the row stays locked from the first of them.
  const asked = await tx.write<RunRow>(
    `update runs set status = 'CANCEL_REQUESTED', cancel_requested_at = $3, cancel_reason = $4
     where account_id = $1 and id = $2 and status in (${words(statesBefore('CANCEL_REQUESTED'))})
     returning *`,
    [accountId, id, nowMs, reason],
  )
  const [row] = asked.length > 0 ? asked : [await findRun(tx, accountId, id)]
  if (!row) return undefined
  const isUnbegun = row.status === 'CANCEL_REQUESTED' && row.started_at === null
  if (!isUnbegun) return { row, accepted: row.completed_at === null, endedNow: false }
  const [ended] = await tx.write<RunRow>(
    `update runs set status = 'CANCELLED', completed_at = $2
     where id = $1 and status in (${words(statesBefore('CANCELLED'))}) returning *`,
    [id, nowMs],
  )
  return { row: ended ?? row, accepted: true, endedNow: ended !== undefined }
}

/** Calls of a run that may still finish and be billed. */
export async function hasCallsInFlight(db: Reader, runId: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one from tasks where run_id = $1 and completed_at is null
     union all
     select 1 as one from ledger where run_id = $1 and outcome = 'PENDING' limit 1`,
    [runId],
  )
  return rows.length > 0
}

/**
 * Deletes ended runs from the old end of each list, with their steps, so that the numbers that
 * remain stay without gaps. Returns how many went.
 */
export async function deleteOldRuns(db: Db, beforeMs: number, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const old = await tx.query<{ account_id: string; workflow_id: number; seq: number }>(
      `select account_id, workflow_id, max(seq) as seq from (
         select account_id, workflow_id, seq, created_at from runs order by id limit $2
       ) as oldest where created_at < $1 group by account_id, workflow_id
       order by account_id, workflow_id`,
      [beforeMs, limit],
    )
    let deleted = 0
    for (const { account_id, workflow_id, seq } of old) {
      const list = [account_id, workflow_id] as const
      await lockList(tx, account_id, runList(workflow_id))
      const [open] = await tx.query<{ seq: number }>(
        `select seq from runs where account_id = $1 and workflow_id = $2 and seq <= $3
           and (completed_at is null or in_flight = 1) order by seq limit 1`,
        [...list, seq],
      )
      const upTo = open ? open.seq - 1 : seq
      const rows = await tx.write<{ id: string }>(
        `delete from runs where account_id = $1 and workflow_id = $2 and seq <= $3 returning id`,
        [...list, upTo],
      )
      for (const { id } of rows) {
        await tx.write(`delete from steps where run_id = $1`, [id])
        await tx.write(`delete from run_estimates where run_id = $1`, [id])
      }
      await moveListStart(tx, account_id, runList(workflow_id), upTo)
      deleted += rows.length
    }
    return deleted
  })
}
