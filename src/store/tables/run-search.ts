// The runs of an account, newest first, by any combination of filters. Every request reads a
// bounded number of rows by an index, however rare its matches; `next` is where to continue.
import { uuidPattern } from '#core/ids.ts'
import { isTerminal, type RunStatus } from '#core/run-states.ts'
import { toSearchText } from '#core/search-text.ts'
import type { Db, Reader } from '../db.ts'
import { isAsleep, listedRun, type RunListRow, runList } from './runs.ts'
import { listBounds } from './sequences.ts'

export type RunFilter = {
  /** ACTIVE: not ended. WAITING: asleep. */
  status?: RunStatus | 'ACTIVE' | 'WAITING' | undefined
  workflowId?: number | undefined
  /** Accepted at or after `fromMs`, and before `toMs`. */
  fromMs?: number | undefined
  toMs?: number | undefined
  /** Part of the workflow's name, or at least the first 8 characters of an identifier. */
  q?: string | undefined
}

type Head = { id: string; workflow_name: string; status: RunStatus; wake_at: number | null }

// Reading a window occupies SQLite's only reading connection for some milliseconds. A request ends
// after its last window, and its caller may ask for more.
const rowsPerWindow = 2_000
const windows = 5

/** Runs older than `before`. `next` is where to continue, even if nothing matched. */
export async function searchRuns(
  db: Db,
  accountId: string,
  filter: RunFilter,
  { before, limit }: { before: string | null; limit: number },
): Promise<{ rows: RunListRow[]; next: string | null }> {
  if (isUuid.test(filter.q?.trim() ?? '')) return findNamed(db, accountId, filter)
  const isWanted = matcherOf(filter)
  const readHeads = walkOf(db, accountId, filter)
  const size = filter.status || filter.q ? rowsPerWindow : limit + 1
  const found: string[] = []
  const upTo = filter.toMs === undefined ? lastId : firstIdAt(filter.toMs)
  let end = before !== null && before < upTo ? before : upTo
  for (let window = 0; window < windows; window++) {
    const heads = await readHeads(end, size)
    found.push(...heads.filter(isWanted).map(({ id }) => id))
    if (found.length > limit) {
      const ids = found.slice(0, limit)
      return { rows: await readRows(db, accountId, ids), next: ids.at(-1) ?? null }
    }
    end = heads.at(-1)?.id ?? end
    if (heads.length < size) return { rows: await readRows(db, accountId, found), next: null }
  }
  return { rows: await readRows(db, accountId, found), next: end }
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const maxUuidMs = 2 ** 48 - 1

/** A lower bound for the identifiers of runs accepted then or later (`core/ids.ts`). */
export function firstIdAt(ms: number): string {
  const digits = Math.min(Math.max(Math.floor(ms), 0), maxUuidMs)
    .toString(16)
    .padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}

/** Reads runs older than a given one, by the list of the workflow or by that of the account. */
function walkOf(db: Db, accountId: string, { workflowId, fromMs }: RunFilter) {
  const from = firstIdAt(fromMs ?? 0)
  if (workflowId === undefined) {
    return (end: string, size: number) =>
      db.query<Head>(
        `select id, workflow_name, status, wake_at from runs
         where account_id = $1 and id < $2 and id >= $3 order by id desc limit $4`,
        [accountId, end, from, size],
      )
  }
  return async (end: string, size: number) => {
    const number = await numberBefore(db, accountId, workflowId, end)
    const heads = await db.query<Head>(
      `select id, workflow_name, status, wake_at from runs
       where account_id = $1 and workflow_id = $2 and seq < $3 order by seq desc limit $4`,
      [accountId, workflowId, number, size],
    )
    return heads.filter(({ id }) => id >= from)
  }
}

/** The first number of a workflow's list that is not before this run, by binary search. */
async function numberBefore(
  db: Reader,
  accountId: string,
  workflowId: number,
  end: string,
): Promise<number> {
  const { lastSeq, removedSeq } = await listBounds(db, accountId, runList(workflowId))
  if (end === lastId) return lastSeq + 1
  const [row] = await db.query<{ low: number }>(
    `with recursive halves(low, high) as (
       select cast($3 as bigint), cast($4 as bigint)
       union all
       select case when id < $5 then seq + 1 else low end, case when id < $5 then high else seq end
       from halves join runs on account_id = $1 and workflow_id = $2 and seq = (low + high) / 2
       where low < high
     )
     select max(low) as low from halves`,
    [accountId, workflowId, removedSeq + 1, lastSeq + 1, end],
  )
  return row?.low ?? 0
}

const beginsLikeId = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/

function matcherOf({ status, q }: RunFilter): (head: Head) => boolean {
  const text = toSearchText(q ?? '')
  const isId = beginsLikeId.test(text)
  return (head) =>
    (status === undefined || isIn(status, head)) &&
    (text === '' ||
      toSearchText(head.workflow_name).includes(text) ||
      (isId && head.id.startsWith(text)))
}

function isIn(
  status: NonNullable<RunFilter['status']>,
  head: Omit<Head, 'workflow_name'>,
): boolean {
  if (status === 'ACTIVE') return !isTerminal(head.status)
  return status === 'WAITING' ? isAsleep(head) : head.status === status
}

const readRows = async (db: Db, accountId: string, ids: readonly string[]) =>
  ids.length === 0
    ? []
    : listedRun.query(
        db,
        `select ${listedRun.columns} from runs
         where account_id = $1 and id ${db.dialect.inList('$2', 'uuid')} order by id desc`,
        [accountId, db.dialect.list(ids)],
      )

const isUuid = new RegExp(uuidPattern)

/** A complete identifier is looked up directly, however old its run is. */
async function findNamed(db: Db, accountId: string, filter: RunFilter) {
  const { q = '', workflowId, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = filter
  const rows = await readRows(db, accountId, [q.trim().toLowerCase()])
  const hasStatus = matcherOf({ status: filter.status })
  const isThere = (row: RunListRow) =>
    hasStatus(row) &&
    row.created_at >= fromMs &&
    row.created_at < toMs &&
    (workflowId === undefined || row.workflow_id === workflowId)
  return { rows: rows.filter(isThere), next: null }
}
