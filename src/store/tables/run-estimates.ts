import type { RunStatus } from '#core/run-states.ts'
import type { Db, Reader, Writer } from '../db.ts'
import { json, table } from '../table.ts'
import { firstIdAt } from './run-search.ts'
import { runTable } from './runs.ts'

/** The estimated cost of these runs in micros; there is none for runs that nobody looked at. */
export async function estimatedMicros(
  db: Db,
  runIds: readonly string[],
): Promise<Map<string, number>> {
  if (runIds.length === 0) return new Map()
  const rows = await db.query<{ run_id: string; estimated_micros: number }>(
    `select run_id, estimated_micros from run_estimates
     where run_id ${db.dialect.inList('$1', 'uuid')}`,
    [db.dialect.list(runIds)],
  )
  return new Map(rows.map((row) => [row.run_id, row.estimated_micros]))
}

const kept = table({ estimate: json<unknown>() }).all

/** As it was stored; the caller of `keepEstimate` knows its shape. */
export async function findEstimate(db: Reader, runId: string): Promise<unknown> {
  const [row] = await kept.query(
    db,
    `select ${kept.columns} from run_estimates where run_id = $1`,
    [runId],
  )
  return row?.estimate
}

/** Keeps the first estimate, which was made closest to the start of the run. */
export const keepEstimate = (
  db: Writer,
  { runId, micros, estimate }: { runId: string; micros: number; estimate: object },
) =>
  db.write(
    `insert into run_estimates (run_id, estimated_micros, estimate)
     select id, $2, $3 from runs where id = $1
     on conflict (run_id) do nothing`,
    [runId, micros, JSON.stringify(estimate)],
  )

export type CostOfRun = {
  id: string
  workflow_id: number
  workflow_name: string
  status: RunStatus
  cost_micros: number
}

/** Runs accepted in a span of time, newest first; only those older than `before`, if given. */
export const costsOfRuns = (
  db: Reader,
  accountId: string,
  { fromMs, toMs, before }: { fromMs: number; toMs: number; before: string | null },
  limit: number,
) =>
  db.query<CostOfRun>(
    `select id, workflow_id, workflow_name, status, cost_micros from runs
     where account_id = $1 and id >= $2 and id < $3 order by id desc limit ${limit}`,
    [accountId, firstIdAt(fromMs), before ?? firstIdAt(toMs)],
  )

/** How many calls of a model an account has finished since a day, and how long the answers were. */
export async function outputHistory(
  db: Reader,
  { accountId, model, fromDay }: { accountId: string; model: string; fromDay: string },
): Promise<{ calls: number; outputTokens: number }> {
  const [row] = await db.query<{ calls: number | null; output_tokens: number | null }>(
    `select sum(calls) as calls, sum(output_tokens) as output_tokens from spend_days
     where account_id = $1 and day >= $2 and model = $3`,
    [accountId, fromDay, model],
  )
  return { calls: Number(row?.calls ?? 0), outputTokens: Number(row?.output_tokens ?? 0) }
}

const nodesOfRun = runTable.select('account_id', 'workflow_id', 'data_version', 'nodes')

/** The states of the nodes of a workflow's last completed runs, newest first. */
export const recentNodes = (
  db: Reader,
  { accountId, workflowId, limit }: { accountId: string; workflowId: number; limit: number },
) =>
  nodesOfRun.query(
    db,
    // Of many failed runs in a row, not all are looked at.
    `select ${nodesOfRun.columns} from (select * from runs
       where account_id = $1 and workflow_id = $2 order by seq desc limit ${limit * 10}) as last
     where status = 'COMPLETED' order by seq desc limit ${limit}`,
    [accountId, workflowId],
  )
