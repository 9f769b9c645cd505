import type { Statement } from '../db.ts'
import type { Ended } from './settlement.ts'

const quarterMs = 15 * 60_000

/** A provider may report any number; an absurd one must not break the sums of all others. */
export const boundedCount = (count = 0): number => Math.min(Math.round(count), 1e12)

type Quarter = { key: (string | number)[]; sums: number[] }

/** Adds settled attempts, whatever their outcome, to the sums of their quarter of an hour. */
export function upsertQuarters(ended: readonly Ended[]): Statement {
  const quarters = new Map<string, Quarter>()
  for (const one of ended) {
    const key = keyOf(one)
    const name = key.join(' ')
    const known = quarters.get(name)?.sums
    const sums = countsOf(one).map((count, index) => count + (known?.[index] ?? 0))
    quarters.set(name, { key, sums })
  }
  return {
    sql: `insert into usage_quarters as u (account_id, at, model, key_id, workflow_id, calls, failed,
       input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
       images, video_ms, cost_micros, own_keys_micros)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     on conflict (account_id, at, model, key_id, workflow_id) do update set
       calls = u.calls + excluded.calls,
       failed = u.failed + excluded.failed,
       input_tokens = u.input_tokens + excluded.input_tokens,
       cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
       cache_write_tokens = u.cache_write_tokens + excluded.cache_write_tokens,
       output_tokens = u.output_tokens + excluded.output_tokens,
       reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens,
       images = u.images + excluded.images,
       video_ms = u.video_ms + excluded.video_ms,
       cost_micros = u.cost_micros + excluded.cost_micros,
       own_keys_micros = u.own_keys_micros + excluded.own_keys_micros`,
    // In key order, so that two processes cannot deadlock.
    rows: [...quarters.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { key, sums }]) => [...key, ...sums]),
  }
}

const keyOf = ({ settled, settlement }: Ended) => [
  settled.account_id,
  settlement.nowMs - (settlement.nowMs % quarterMs),
  settled.model,
  settled.key_id ?? '',
  settled.workflow_id ?? 0,
]

const countsOf = ({ settled, settlement: { outcome, units, costMicros }, times = 1 }: Ended) =>
  [
    1,
    outcome === 'SUCCEEDED' ? 0 : 1,
    boundedCount(units.inputTokens),
    boundedCount(units.cachedInputTokens),
    boundedCount(units.cacheWriteTokens),
    boundedCount(units.outputTokens),
    boundedCount(units.reasoningTokens),
    boundedCount(units.images),
    boundedCount((units.videoSeconds ?? 0) * 1_000),
    costMicros ?? 0,
    settled.credential === null ? 0 : (costMicros ?? 0),
  ].map((count) => times * count)
