// What an account used, summed by the database from quarters of an hour. A request reads the
// quarters of its span, however many calls they stand for.
import type { OffsetSpan } from '#core/time-zone.ts'
import type { Param, Reader } from '../db.ts'

export type UsageSplit = 'model' | 'key' | 'workflow' | 'tag'
type Span = { fromMs: number; toMs: number }

const counted = [
  'calls',
  'failed',
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'images',
  'video_ms',
  'cost_micros',
  'own_keys_micros',
] as const
export type UsageSums = { [Column in (typeof counted)[number]]: number }

const sums = counted
  .map((column) => `cast(coalesce(sum(${column}), 0) as bigint) as ${column}`)
  .join(', ')

const seriesOf = {
  model: 'model',
  key: 'key_id',
  workflow: 'cast(workflow_id as text)',
  tag: 'tag',
} as const satisfies Record<UsageSplit, string>

const span = 'where account_id = $1 and at >= $2 and at < $3'
const plain = `from usage_quarters ${span}`

/** What is summed: everything, or what has one tag. */
export type UsageOf = { tag?: string | undefined }

function within({ tag, split }: UsageOf & { split?: UsageSplit }, params: Param[]): string {
  if (tag !== undefined) return `from tagged_quarters ${span} and tag = $${params.push(tag)}`
  return split === 'tag' ? byTag : plain
}

/** Calls without a tag are in no sums of their own: they are all, less those with one. */
const columns = counted.join(', ')
const byTag = `from (
  select tag, at, ${columns} from tagged_quarters ${span}
  union all select '' as tag, at, ${columns} ${plain}
  union all select '' as tag, at, ${counted.map((column) => `-${column}`).join(', ')}
    from tagged_quarters ${span}
) as split`

export async function usageTotal(
  db: Reader,
  accountId: string,
  { fromMs, toMs }: Span,
  of: UsageOf = {},
) {
  const params: Param[] = [accountId, fromMs, toMs]
  const [row] = await db.query<UsageSums>(`select ${sums} ${within(of, params)}`, params)
  if (!row) throw new Error('a sum returned no row')
  return row
}

/** What runs that ended in the span had reused. */
export async function savedIn(db: Reader, accountId: string, { fromMs, toMs }: Span, of: UsageOf) {
  const params: Param[] = [accountId, fromMs, toMs]
  const isTagged =
    of.tag === undefined
      ? ''
      : `and ${db.dialect.jsonText('spender', 'tag')} = $${params.push(of.tag)}`
  const [row] = await db.query<{ saved: number }>(
    `select cast(coalesce(sum(saved_micros), 0) as bigint) as saved from runs
     where account_id = $1 and saved_micros > 0 and completed_at >= $2 and completed_at < $3
       ${isTagged}`,
    params,
  )
  return row?.saved ?? 0
}

/** The series that cost most; among those that cost the same, the ones with more calls. */
export async function usageLeaders(
  db: Reader,
  accountId: string,
  { fromMs, toMs }: Span,
  { split, limit, tag }: UsageOf & { split: UsageSplit; limit: number },
): Promise<string[]> {
  const params: Param[] = [accountId, fromMs, toMs]
  const rows = await db.query<{ series: string }>(
    `select ${seriesOf[split]} as series ${within({ split, tag }, params)}
     group by 1 having sum(calls) > 0 order by sum(cost_micros) desc, sum(calls) desc, 1 limit ${limit}`,
    params,
  )
  return rows.map(({ series }) => series)
}

export const addUp = (rows: readonly UsageSums[]): UsageSums =>
  Object.fromEntries(
    counted.map((column) => [column, rows.reduce((total, row) => total + row[column], 0)]),
  ) as UsageSums

export type UsageBucket = UsageSums & {
  /** How many units of local time have passed since 1970. */
  bucket: number
  /** Null for all that are not among the leaders. */
  series: string | null
}

/** One span of constant offset; the caller joins the parts of days on which clocks change. */
export function usageBuckets(
  db: Reader,
  accountId: string,
  { fromMs, toMs, offsetMs }: OffsetSpan,
  {
    split,
    leaders,
    unitMs,
    tag,
  }: UsageOf & { split: UsageSplit; leaders: readonly string[]; unitMs: number },
): Promise<UsageBucket[]> {
  const params: Param[] = [accountId, fromMs, toMs, offsetMs]
  const series = seriesOf[split]
  const among = leaders.map((leader) => `$${params.push(leader)}`).join(', ')
  const shown =
    leaders.length === 0 ? 'null' : `case when ${series} in (${among}) then ${series} end`
  return db.query<UsageBucket>(
    `select (at + cast($4 as bigint)) / ${unitMs} as bucket, ${shown} as series, ${sums} ${within({ split, tag }, params)}
     group by 1, 2 having sum(calls) > 0`,
    params,
  )
}

/** Names of keys or workflows by their identifiers, for those that the account still has. */
export async function seriesNames(
  db: Reader,
  accountId: string,
  split: 'key' | 'workflow',
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const table = split === 'key' ? 'api_keys' : 'workflows'
  const params = [accountId, ...ids.map((id) => (split === 'key' ? id : Number(id)))]
  const rows = await db.query<{ id: string; name: string }>(
    `select cast(id as text) as id, name from ${table}
     where account_id = $1 and id in (${ids.map((_, index) => `$${index + 2}`).join(', ')})`,
    params,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
