// The tasks of an account, newest first, by any combination of filters. Rows are numbered without
// gaps and created_at never decreases as numbers increase, so a span of time is a span of numbers
// and every request reads a bounded number of rows, however rare its matches are. Deleted tasks keep
// their number and are left out.
import { uuidPattern } from '#core/ids.ts'
import { toSearchText } from '#core/search-text.ts'
import type { Param, Reader } from '../db.ts'
import { likePattern } from '../like-pattern.ts'
import { countWindows, type NumberRange, readWindows } from '../numbered-windows.ts'
import { listBounds } from './sequences.ts'
import { countDeleted } from './task-marks.ts'
import {
  type ListedTask,
  listedTask,
  type TaskKind,
  type TaskRow,
  type TaskStatus,
} from './tasks.ts'

export type TaskFilter = {
  kind?: TaskKind | undefined
  status?: TaskStatus | undefined
  model?: string | undefined
  source?: TaskRow['source'] | undefined
  /** Only those with a star. */
  starred?: boolean | undefined
  /** Created at or after `fromMs`, and before `toMs`. */
  fromMs?: number | undefined
  toMs?: number | undefined
  /** Part of the prompt, or at least the first 8 characters of an identifier. */
  q?: string | undefined
}

/** Tasks with a number below `before`. `next` is where to continue, even if nothing matched. */
export async function searchTasks(
  db: Reader,
  accountId: string,
  filter: TaskFilter,
  from: { before: number | null; limit: number },
): Promise<{ rows: ListedTask[]; next: number | null }> {
  const range = await numbersOf(db, accountId, filter)
  const { sql, params } = conditionsOf(filter, range)
  return readWindows(range, from, ({ oldest, newest }, wanted) =>
    listedTask.query(
      db,
      `select ${listedTask.columns} from tasks where account_id = $1 and seq between $2 and $3
         and deleted_at is null ${sql}
       order by seq desc limit ${wanted}`,
      [accountId, oldest, newest, ...params],
    ),
  )
}

export async function countTasks(db: Reader, accountId: string, filter: TaskFilter) {
  const range = await numbersOf(db, accountId, filter)
  const { sql, params } = conditionsOf(filter, range)
  // Rows are numbered without gaps, so nothing has to be read to count a span of them.
  if (sql === '') {
    const all = Math.max(0, range.newest - range.oldest + 1)
    return { total: all - (await countDeleted(db, accountId, range)), isExact: true }
  }
  return countWindows(range, async ({ oldest, newest }) => {
    const [row] = await db.query<{ total: number }>(
      `select count(*) as total from tasks where account_id = $1 and seq between $2 and $3
         and deleted_at is null ${sql}`,
      [accountId, oldest, newest, ...params],
    )
    return Number(row?.total ?? 0)
  })
}

type Range = NumberRange & { isOneTask?: true }

async function numbersOf(db: Reader, accountId: string, filter: TaskFilter): Promise<Range> {
  const bounds = await listBounds(db, accountId, 'tasks')
  const named = await taskNamed(db, accountId, filter.q)
  const all = { oldest: bounds.removedSeq + 1, newest: bounds.lastSeq }
  const { fromMs, toMs } = filter
  const oldest = fromMs === undefined ? all.oldest : await firstSince(db, accountId, all, fromMs)
  const newest = toMs === undefined ? all.newest : (await firstSince(db, accountId, all, toMs)) - 1
  if (named === null) return { oldest, newest }
  return { oldest: Math.max(oldest, named), newest: Math.min(newest, named), isOneTask: true }
}

const uuid = new RegExp(uuidPattern)

/** A complete identifier is looked up directly, however old its task is. */
async function taskNamed(db: Reader, accountId: string, q = ''): Promise<number | null> {
  const id = q.trim().toLowerCase()
  if (!uuid.test(id)) return null
  const [row] = await db.query<{ seq: number }>(
    'select seq from tasks where account_id = $1 and id = $2',
    [accountId, id],
  )
  return row?.seq ?? null
}

/** The first number whose task is not older than `ms`, by binary search: one look-up per step. */
async function firstSince(db: Reader, accountId: string, { oldest, newest }: Range, ms: number) {
  const [row] = await db.query<{ low: number }>(
    `with recursive halves(low, high) as (
       select cast($2 as bigint), cast($3 as bigint)
       union all
       select
         case when created_at < $4 then seq + 1 else low end,
         case when created_at < $4 then high else seq end
       from halves join tasks on account_id = $1 and seq = (low + high) / 2
       where low < high
     )
     select max(low) as low from halves`,
    [accountId, oldest, newest + 1, ms],
  )
  return row?.low ?? oldest
}

const beginsLikeId = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/

function conditionsOf(filter: TaskFilter, { isOneTask }: Range) {
  const params: Param[] = []
  const next = (value: Param) => `$${params.push(value) + 3}`
  const { kind, status, model, source, starred } = filter
  const equal = Object.entries({ kind, status, model, source }).flatMap(([column, value]) =>
    value === undefined ? [] : [`and ${column} = ${next(value)}`],
  )
  if (starred) equal.push('and starred_at is not null')
  const text = isOneTask ? '' : toSearchText(filter.q ?? '')
  if (text === '') return { sql: equal.join(' '), params }
  const inPrompt = `search_text like ${next(likePattern(text))} escape '\\'`
  const isId = beginsLikeId.test(text) ? ` or cast(id as text) like ${next(`${text}%`)}` : ''
  return { sql: [...equal, `and (${inPrompt}${isId})`].join(' '), params }
}
