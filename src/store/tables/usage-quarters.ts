import type { Statement } from '../db.ts'
import type { Ended } from './settlement.ts'

const quarterMs = 15 * 60_000

/** A provider may report any number; an absurd one must not break the sums of all others. */
export const boundedCount = (count = 0): number => Math.min(Math.round(count), 1e12)

/** In the order in which `addCounts` adds them. */
const counted = [
  ...['calls', 'failed', 'input_tokens', 'cached_input_tokens', 'cache_write_tokens'],
  ...['output_tokens', 'reasoning_tokens', 'images', 'video_ms', 'cost_micros', 'own_keys_micros'],
]

type Quarter = { key: (string | number)[]; sums: number[] }

/** Adds settled attempts, whatever their outcome, to the sums of their quarter of an hour. */
export function upsertQuarters(ended: readonly Ended[]): Statement {
  const quarters = new Map<string, Quarter>()
  let last: Quarter | undefined
  for (const one of ended) {
    // Chats of one caller often come in a row.
    if (!last || !isOf(last, one)) last = quarterOf(quarters, keyOf(one))
    addCounts(last.sums, one)
  }
  return upsertInto(
    'usage_quarters',
    ['account_id', 'at', 'model', 'key_id', 'workflow_id'],
    quarters,
  )
}

/** The same for those with a tag; undefined if none has one. */
export function upsertTaggedQuarters(ended: readonly Ended[]): Statement | undefined {
  const quarters = new Map<string, Quarter>()
  for (const one of ended) {
    const { tag } = one.settled
    if (tag) addCounts(quarterOf(quarters, [...keyOf(one), tag]).sums, one)
  }
  if (quarters.size === 0) return undefined
  const key = ['account_id', 'at', 'model', 'key_id', 'workflow_id', 'tag']
  return upsertInto('tagged_quarters', key, quarters)
}

function upsertInto(
  table: string,
  key: readonly string[],
  quarters: ReadonlyMap<string, Quarter>,
): Statement {
  const params = [...key, ...counted].map((_, index) => `$${index + 1}`)
  return {
    sql: `insert into ${table} as u (${[...key, ...counted].join(', ')})
     values (${params.join(', ')})
     on conflict (${key.join(', ')}) do update set
       ${counted.map((name) => `${name} = u.${name} + excluded.${name}`).join(', ')}`,
    // In key order, so that two processes cannot deadlock.
    rows: [...quarters.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { key, sums }]) => [...key, ...sums]),
  }
}
function quarterOf(quarters: Map<string, Quarter>, key: Quarter['key']): Quarter {
  const name = key.join(' ')
  const known = quarters.get(name)
  if (known) return known
  const fresh = { key, sums: new Array<number>(counted.length).fill(0) }
  quarters.set(name, fresh)
  return fresh
}

function isOf({ key }: Quarter, { settled, settlement }: Ended): boolean {
  const [accountId, at, model, keyId, workflowId] = key
  return (
    settled.account_id === accountId &&
    settlement.nowMs - (settlement.nowMs % quarterMs) === at &&
    settled.model === model &&
    (settled.key_id ?? '') === keyId &&
    (settled.workflow_id ?? 0) === workflowId
  )
}

const keyOf = ({ settled, settlement }: Ended) => [
  settled.account_id,
  settlement.nowMs - (settlement.nowMs % quarterMs),
  settled.model,
  settled.key_id ?? '',
  settled.workflow_id ?? 0,
]

/** Adds in place, in the order of the columns: a batch has hundreds of chats. */
function addCounts(sums: number[], { settled, settlement, times = 1 }: Ended): void {
  const { outcome, units, costMicros } = settlement
  const micros = costMicros ?? 0
  const add = (index: number, count: number) => {
    sums[index] = (sums[index] ?? 0) + times * count
  }
  add(0, 1)
  if (outcome !== 'SUCCEEDED') add(1, 1)
  add(2, boundedCount(units.inputTokens))
  if (units.cachedInputTokens) add(3, boundedCount(units.cachedInputTokens))
  if (units.cacheWriteTokens) add(4, boundedCount(units.cacheWriteTokens))
  add(5, boundedCount(units.outputTokens))
  if (units.reasoningTokens) add(6, boundedCount(units.reasoningTokens))
  if (units.images) add(7, boundedCount(units.images))
  if (units.videoSeconds) add(8, boundedCount(units.videoSeconds * 1_000))
  add(9, micros)
  if (settled.credential !== null) add(10, micros)
}
