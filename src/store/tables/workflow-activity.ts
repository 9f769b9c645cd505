// What a list of workflows shows beside each of them: its last run, and what its runs cost.
import type { RunStatus } from '#core/run-states.ts'
import type { Reader } from '../db.ts'

export type LastRun = {
  id: string
  workflow_id: number
  status: RunStatus
  created_at: number
  wake_at: number | null
}

/** Two statements: the newest run of each workflow by its list, then those rows by their key. */
export async function lastRuns(
  db: Reader,
  accountId: string,
  workflowIds: readonly number[],
): Promise<Map<number, LastRun>> {
  const newest = await db.query<{ id: string | null }>(
    `select (select id from runs where account_id = $1 and workflow_id = w.id
             order by seq desc limit 1) as id
     from workflows w where w.account_id = $1 and w.id ${db.dialect.inList('$2', 'bigint')}`,
    [accountId, db.dialect.list(workflowIds)],
  )
  const ids = newest.flatMap(({ id }) => (id === null ? [] : [id]))
  if (ids.length === 0) return new Map()
  const rows = await db.query<LastRun>(
    `select id, workflow_id, status, created_at, wake_at from runs
     where account_id = $1 and id ${db.dialect.inList('$2', 'uuid')}`,
    [accountId, db.dialect.list(ids)],
  )
  return new Map(rows.map((row) => [row.workflow_id, row]))
}

/** In micros, since `fromMs`; workflows without calls are left out. */
export async function costOfWorkflows(
  db: Reader,
  accountId: string,
  workflowIds: readonly number[],
  fromMs: number,
): Promise<Map<number, number>> {
  const rows = await db.query<{ workflow_id: number; cost_micros: number }>(
    `select workflow_id, cast(sum(cost_micros) as bigint) as cost_micros from usage_quarters
     where account_id = $1 and at >= $2 and workflow_id ${db.dialect.inList('$3', 'bigint')}
     group by workflow_id`,
    [accountId, fromMs, db.dialect.list(workflowIds)],
  )
  return new Map(rows.map((row) => [row.workflow_id, row.cost_micros]))
}
