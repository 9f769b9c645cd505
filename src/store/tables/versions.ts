// The saved graphs of a workflow, for people who look at its history.
import type { Db, Reader } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import { runList } from './runs.ts'
import { listBounds } from './sequences.ts'
import { graphs, keptVersions } from './workflows.ts'

export type VersionRow = {
  version: number
  created_at: number
  author_user: string | null
  author_email: string | null
  author_key: string | null
  key_name: string | null
  node_count: number
  connection_count: number
  note: string | null
}

const selected = ({ jsonLength }: Dialect) =>
  `v.version, v.created_at, v.author_user, coalesce(u.email, u.former_email, u.name) as author_email, v.author_key,
    k.name as key_name, v.note,
    coalesce(v.node_count, ${jsonLength('v.data', 'nodes')}) as node_count,
    coalesce(v.connection_count, ${jsonLength('v.data', 'connections')}) as connection_count`

const joined = `from workflows w
  join workflow_versions v on v.workflow_id = w.id
  left join users u on u.id = v.author_user
  left join api_keys k on k.id = v.author_key`

/** Newest first. */
export const listVersions = (db: Db, accountId: string, workflowId: number) =>
  db.query<VersionRow>(
    `select ${selected(db.dialect)} ${joined}
     where w.account_id = $1 and w.id = $2 and v.version > 0
     order by v.version desc limit ${keptVersions}`,
    [accountId, workflowId],
  )

export async function findVersion(db: Db, accountId: string, workflowId: number, version: number) {
  const [row] = await graphs.beside<VersionRow>().query(
    db,
    `select ${selected(db.dialect)}, ${graphs.of('v')} ${joined}
     where w.account_id = $1 and w.id = $2 and v.version = $3`,
    [accountId, workflowId, version],
  )
  return row
}

/** False if the account has no such version. */
export async function noteVersion(
  db: Db,
  accountId: string,
  { workflowId, version, note }: { workflowId: number; version: number; note: string | null },
): Promise<boolean> {
  const rows = await db.write(
    `update workflow_versions set note = $4 where workflow_id = $2 and version = $3
       and exists (select 1 from workflows w where w.id = $2 and w.account_id = $1)
     returning version`,
    [accountId, workflowId, version, note],
  )
  return rows.length > 0
}

/** Enough to see which versions are in use; counting all runs of a workflow could take long. */
export const countedRuns = 1_000

/** By version, among the workflow's newest runs. */
export async function countRunsByVersion(
  db: Reader,
  accountId: string,
  workflowId: number,
): Promise<Map<number, number>> {
  const { lastSeq } = await listBounds(db, accountId, runList(workflowId))
  const rows = await db.query<{ version: number; n: number }>(
    `select data_version as version, count(*) as n from runs
     where account_id = $1 and workflow_id = $2 and seq > $3 group by data_version`,
    [accountId, workflowId, lastSeq - countedRuns],
  )
  return new Map(rows.map(({ version, n }) => [version, Number(n)]))
}
