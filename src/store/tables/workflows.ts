import { toSearchText } from '#core/search-text.ts'
import type { Db, Reader, Tx } from '../db.ts'
import { bigint, integer, lazyJson, orNull, type Row, real, table, text, time } from '../table.ts'
import type { Listed, ListPage } from './sequences.ts'

/** A graph as it was saved. It was valid then, though models it names may be gone since. */
export type GraphData = {
  nodes: readonly { id: string; type: string; data?: Record<string, unknown> }[]
  connections: readonly {
    source: string
    sourceHandle?: string | null
    target: string
    targetHandle?: string | null
  }[]
}

const workflows = table({
  id: bigint,
  name: text(),
  canvas_scale: orNull(real),
  version: integer,
  /** Together with `id` it identifies the graph in use; a run pins both. */
  data_version: integer,
  node_count: integer,
  connection_count: integer,
  created_at: time,
  updated_at: time,
}).all
const { columns } = workflows
export const workflowRows = workflows
/** The graph of a version. */
export const graphs = table({ data: lazyJson<GraphData>() }).all
/** Its text, and its value once somebody asks for it. */
export type SavedGraph = Row<typeof graphs>['data']

export type WorkflowRow = Row<typeof workflows>
const whole = graphs.beside<WorkflowRow>()
export type WholeWorkflow = Row<typeof whole>

type GraphText = {
  /** JSON, as it was sent. */
  data: string
  nodeCount: number
  connectionCount: number
}

/** Who saved a version: a person, and the key they used. Either may be unknown. */
export type VersionAuthor = { userId: string | null; keyId: string | null }

const withData = `select ${workflows.of('w')}, ${graphs.of('v')} from workflows w
  join workflow_versions v on v.workflow_id = w.id and v.version = w.data_version`

/** As text, because the drivers refuse whole numbers beyond 2^53, and a real may be one. */
const asReal = (value: number | null) => (value === null ? null : String(value))

type NewWorkflow = {
  accountId: string
  name: string
  canvasScale: number | null
  author?: VersionAuthor
  nowMs: number
} & GraphText

export const insertWorkflow = (db: Db, workflow: NewWorkflow): Promise<WorkflowRow> =>
  db.transaction(async (tx) => insertFirst(tx, workflow), {
    // Another workflow may have got the same id, because the crash undid the numbering too.
    async isStored(reader, { id, name, created_at }) {
      const found = await findWorkflow(reader, workflow.accountId, id)
      return found?.name === name && found.created_at === created_at
    },
  })

export async function insertFirst(tx: Tx, workflow: NewWorkflow): Promise<WorkflowRow> {
  const [row] = await tx.write<WorkflowRow>(
    `insert into workflows (account_id, name, canvas_scale, version, data_version, node_count,
         connection_count, data_chars, created_at, updated_at, sort_name)
       values ($1, $2, cast($3 as double precision), 1, 1, $4, $5, $6, $7, $7, $8)
       returning ${columns}`,
    [
      workflow.accountId,
      workflow.name,
      asReal(workflow.canvasScale),
      workflow.nodeCount,
      workflow.connectionCount,
      workflow.data.length,
      workflow.nowMs,
      toSearchText(workflow.name),
    ],
  )
  if (!row) throw new Error('an insert returned no row')
  await insertVersion(tx, row, workflow)
  return row
}

export const insertVersion = (
  tx: Tx,
  row: Pick<WorkflowRow, 'id' | 'data_version' | 'node_count' | 'connection_count'>,
  { data, author, nowMs }: { data: string; author?: VersionAuthor | undefined; nowMs: number },
) =>
  tx.write(
    `insert into workflow_versions (workflow_id, version, data, created_at, author_user,
       author_key, node_count, connection_count)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      row.id,
      row.data_version,
      data,
      nowMs,
      author?.userId ?? null,
      author?.keyId ?? null,
      row.node_count,
      row.connection_count,
    ],
  )

export async function findWorkflow(db: Reader, accountId: string, id: number) {
  const [row] = await whole.query(db, `${withData} where w.account_id = $1 and w.id = $2`, [
    accountId,
    id,
  ])
  return row
}

/** Those that exist, in no particular order; null if they exceed `maxChars` together. */
export async function findWorkflows(
  db: Reader,
  accountId: string,
  ids: readonly number[],
  { maxChars }: { maxChars: number },
) {
  if (ids.length === 0) return []
  const inIds = db.dialect.inList('$2', 'bigint')
  const params = [accountId, db.dialect.list(ids)]
  const [size] = await db.query<{ chars: number | null }>(
    `select sum(data_chars) as chars from workflows where account_id = $1 and id ${inIds}`,
    params,
  )
  if (Number(size?.chars ?? 0) > maxChars) return null
  return whole.query(db, `${withData} where w.account_id = $1 and w.id ${inIds}`, params)
}

/** The graph that a run pinned, even after its workflow was changed or deleted. */
export async function findGraph(db: Reader, workflowId: number, dataVersion: number) {
  const [row] = await graphs.query(
    db,
    `select ${graphs.columns} from workflow_versions where workflow_id = $1 and version = $2`,
    [workflowId, dataVersion],
  )
  return row?.data
}

export async function listWorkflows(
  db: Reader,
  accountId: string,
  { page, size, after }: ListPage,
): Promise<Listed<WorkflowRow>> {
  const [count] = await db.query<{ total: number }>(
    'select count(*) as total from workflows where account_id = $1',
    [accountId],
  )
  const total = Number(count?.total ?? 0)
  const [createdAt, id] = after ?? []
  const offset = (page - 1) * size
  if (offset >= total) return { rows: [], total, next: null }
  // One more than asked for tells whether there are more.
  const rows =
    createdAt === undefined || id === undefined
      ? await db.query<WorkflowRow>(
          `select ${columns} from workflows where account_id = $1
           order by created_at desc, id desc limit $2 offset $3`,
          [accountId, size + 1, offset],
        )
      : await db.query<WorkflowRow>(
          `select ${columns} from workflows
           where account_id = $1 and (created_at < $3 or (created_at = $3 and id < $4))
           order by created_at desc, id desc limit $2`,
          [accountId, size + 1, createdAt, id],
        )
  const last = rows.length > size ? rows[size - 1] : undefined
  return { rows: rows.slice(0, size), total, next: last ? [last.created_at, last.id] : null }
}

type WorkflowChange = {
  accountId: string
  id: number
  /** Null: whatever version it has. */
  ifVersion: number | null
  /** Absent members keep their value. */
  name?: string
  canvasScale?: number | null
  graph?: GraphText
  author?: VersionAuthor
  nowMs: number
}

/**
 * Undefined if it is gone, or no longer has the version asked for. A new name or graph makes a new
 * version; the zoom of the canvas alone does not, so that zooming conflicts with nobody.
 */
export const updateWorkflow = (db: Db, change: WorkflowChange): Promise<WorkflowRow | undefined> =>
  db.transaction(async (tx) => {
    const { graph } = change
    const [row] = await tx.write<WorkflowRow>(
      `update workflows set
         name = coalesce($4, name),
         canvas_scale = case when $5 = 1 then cast($6 as double precision) else canvas_scale end,
         version = version + $12,
         data_version = case when $7 = 1 then version + 1 else data_version end,
         node_count = coalesce($8, node_count),
         connection_count = coalesce($9, connection_count),
         data_chars = coalesce($10, data_chars),
         updated_at = $11,
         sort_name = coalesce($13, sort_name),
         search_text = case when $12 = 1 then null else search_text end
       where id = $1 and account_id = $2 and version = coalesce($3, version)
       returning ${columns}`,
      [
        change.id,
        change.accountId,
        change.ifVersion,
        change.name ?? null,
        change.canvasScale === undefined ? 0 : 1,
        asReal(change.canvasScale ?? null),
        graph ? 1 : 0,
        graph?.nodeCount ?? null,
        graph?.connectionCount ?? null,
        graph?.data.length ?? null,
        change.nowMs,
        graph || change.name !== undefined ? 1 : 0,
        change.name === undefined ? null : toSearchText(change.name),
      ],
    )
    if (row && graph) {
      const { author, nowMs } = change
      await insertVersion(tx, row, { data: graph.data, author, nowMs })
      await supersedeOldest(tx, row.id, nowMs)
    }
    return row
  })

/** How many versions of a workflow are kept whatever their age. */
export const keptVersions = 50

/** Marks versions that are no longer the newest, so that retention can skip those it keeps. */
const supersedeOldest = (tx: Tx, workflowId: number, nowMs: number) =>
  tx.write(
    `update workflow_versions set superseded_at = $2
     where workflow_id = $1 and superseded_at is null and version <= (
       select n.version from workflow_versions n where n.workflow_id = $1
       order by n.version desc limit 1 offset ${keptVersions})`,
    [workflowId, nowMs],
  )
