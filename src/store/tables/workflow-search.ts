// The workflows of an account by name, label, node type, model or tag, in the order of an index.
// A search reads windows of an index one after the other, so that no statement holds SQLite's only
// reading connection for more than some milliseconds, however many workflows there are.
import type { Db, Param, Reader } from '../db.ts'
import { likePattern } from '../like-pattern.ts'
import { type GraphData, graphs, type WorkflowRow, workflowRows } from './workflows.ts'

export type WorkflowFilter = {
  /** Words in the form of core/search-text.ts; all must occur. */
  words: readonly string[]
  tag?: string | undefined
}

const orders = {
  changed: { column: 'updated_at', direction: 'desc', after: '<', upTo: '>=' },
  created: { column: 'created_at', direction: 'desc', after: '<', upTo: '>=' },
  name: { column: 'sort_name', direction: 'asc', after: '>', upTo: '<=' },
} as const
export type WorkflowSort = keyof typeof orders

/** The sort key and the number of a workflow. */
export type WorkflowPosition = [key: number | string, id: number]
type Head = { id: number; key: number | string }

const rowsPerWindow = 5_000
/** Larger totals are not counted to the end. */
export const countedAtMost = 10_000

export type FoundWorkflows = {
  ids: number[]
  next: WorkflowPosition | null
  total: number
  isExact: boolean
}

export async function searchWorkflows(
  db: Reader,
  accountId: string,
  filter: WorkflowFilter,
  page: Page,
): Promise<FoundWorkflows> {
  const isFiltered = filter.words.length > 0 || filter.tag !== undefined
  return isFiltered ? searchAll(db, accountId, filter, page) : listAll(db, accountId, page)
}

type Page = {
  sort: WorkflowSort
  after: WorkflowPosition | null
  limit: number
  /** Whether to read on for the total when the page is complete. */
  total?: 'counted' | 'ignored'
}

async function listAll(
  db: Reader,
  accountId: string,
  { sort, after, limit }: Page,
): Promise<FoundWorkflows> {
  const { column, direction, after: follows } = orders[sort]
  const [count] = await db.query<{ total: number }>(
    'select count(*) as total from workflows where account_id = $1',
    [accountId],
  )
  const heads = await db.query<Head>(
    `select id, ${column} as key from workflows where account_id = $1
     ${after ? `and (${column}, id) ${follows} ($3, $4)` : ''}
     order by ${column} ${direction}, id ${direction} limit $2`,
    [accountId, limit + 1, ...(after ?? [])],
  )
  return { ...pageOf(heads, limit), total: Number(count?.total ?? 0), isExact: true }
}

/** Reads until the page is complete and the total is known, or above `countedAtMost`. */
async function searchAll(
  db: Reader,
  accountId: string,
  filter: WorkflowFilter,
  { sort, after, limit, total: wanted = 'counted' }: Page,
): Promise<FoundWorkflows> {
  const found: Head[] = []
  let total = 0
  let start: WorkflowPosition | null = null
  for (;;) {
    const end = await endOfWindow(db, accountId, sort, start)
    const heads = await matchesIn(db, accountId, filter, { sort, start, end })
    total += heads.length
    for (const head of heads) {
      if (found.length <= limit && isAfter(head, after, sort)) found.push(head)
    }
    if (end === null) return { ...pageOf(found, limit), total, isExact: true }
    if (found.length > limit && (total > countedAtMost || wanted === 'ignored'))
      return { ...pageOf(found, limit), total: Math.min(total, countedAtMost), isExact: false }
    start = end
  }
}

/** The last position of the window after `start`; null if the window is the last one. */
async function endOfWindow(
  db: Reader,
  accountId: string,
  sort: WorkflowSort,
  start: WorkflowPosition | null,
): Promise<WorkflowPosition | null> {
  const { column, direction, after } = orders[sort]
  const [row] = await db.query<Head>(
    `select id, ${column} as key from workflows where account_id = $1
     ${start ? `and (${column}, id) ${after} ($2, $3)` : ''}
     order by ${column} ${direction}, id ${direction} limit 1 offset ${rowsPerWindow - 1}`,
    [accountId, ...(start ?? [])],
  )
  return row ? positionOf(row) : null
}

type Window = { sort: WorkflowSort; start: WorkflowPosition | null; end: WorkflowPosition | null }

function matchesIn(
  db: Reader,
  accountId: string,
  { words, tag }: WorkflowFilter,
  { sort, start, end }: Window,
): Promise<Head[]> {
  const { column, direction, after, upTo } = orders[sort]
  const params: Param[] = [accountId]
  const next = (value: Param) => `$${params.push(value)}`
  const conditions = [
    ...(start ? [`(${column}, id) ${after} (${next(start[0])}, ${next(start[1])})`] : []),
    ...(end ? [`(${column}, id) ${upTo} (${next(end[0])}, ${next(end[1])})`] : []),
    ...words.map((word) => `search_text like ${next(likePattern(word))} escape '\\'`),
    ...(tag === undefined
      ? []
      : [
          `id in (select workflow_id from workflow_tags
             where account_id = $1 and tag = ${next(tag)})`,
        ]),
  ]
  return db.query<Head>(
    `select id, ${column} as key from workflows
     where account_id = $1 ${conditions.map((one) => `and ${one}`).join(' ')}
     order by ${column} ${direction}, id ${direction}`,
    params,
  )
}

const positionOf = ({ key, id }: Head): WorkflowPosition => [key, id]

function isAfter({ key, id }: Head, after: WorkflowPosition | null, sort: WorkflowSort): boolean {
  if (after === null) return true
  const [otherKey, otherId] = after
  if (key === otherKey) return sort === 'name' ? id > otherId : id < otherId
  return sort === 'name' ? key > otherKey : key < otherKey
}

function pageOf(heads: readonly Head[], limit: number) {
  const shown = heads.slice(0, limit)
  const last = heads.length > limit ? shown.at(-1) : undefined
  return { ids: shown.map(({ id }) => id), next: last ? positionOf(last) : null }
}

/** In the order of `ids`; those that are gone meanwhile are left out. */
export async function readWorkflows(
  db: Reader,
  accountId: string,
  ids: readonly number[],
): Promise<WorkflowRow[]> {
  const rows = await db.query<WorkflowRow>(
    `select ${workflowRows.columns} from workflows
     where account_id = $1 and id ${db.dialect.inList('$2', 'bigint')}`,
    [accountId, db.dialect.list(ids)],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Graphs are read together up to this many characters. */
const charsAtOnce = 4_000_000

/** Computes what the workflows are found by that were saved since the last search. */
export async function fillSearchTexts(
  db: Db,
  accountId: string,
  textOf: (name: string, graph: GraphData) => string,
): Promise<void> {
  for (;;) {
    const heads = await db.query<{ id: number; chars: number }>(
      `select id, data_chars as chars from workflows
       where account_id = $1 and search_text is null order by id limit 200`,
      [accountId],
    )
    if (heads.length === 0) return
    let chars = 0
    const some = heads.filter((head, index) => {
      chars += Number(head.chars)
      return index === 0 || chars <= charsAtOnce
    })
    const rows = await unread.query(
      db,
      `select w.id, w.version, w.name, ${graphs.of('v')} from workflows w
         join workflow_versions v on v.workflow_id = w.id and v.version = w.data_version
       where w.account_id = $1 and w.id ${db.dialect.inList('$2', 'bigint')}`,
      [accountId, db.dialect.list(some.map(({ id }) => id))],
    )
    // A workflow that was saved meanwhile has another version and is read in the next round.
    await db.writeAll(() => [
      {
        sql: 'update workflows set search_text = $3 where id = $1 and version = $2',
        rows: rows.map((row) => [row.id, row.version, textOf(row.name, row.data.value)]),
      },
    ])
  }
}

const unread = graphs.beside<{ id: number; version: number; name: string }>()
