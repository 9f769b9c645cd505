import type { Statement } from '../db.ts'
import type { Ended } from './settlement.ts'
import { boundedCount } from './usage-quarters.ts'

const dayMs = 24 * 3_600_000
let lastDay = { index: Number.NaN, text: '' }

/** Cached, because it is called for every attempt, nearly always with the same day. */
export function dayOf(ms: number): string {
  const index = Math.floor(ms / dayMs)
  if (index !== lastDay.index) lastDay = { index, text: new Date(ms).toISOString().slice(0, 10) }
  return lastDay.text
}

export type SpendDay = {
  account_id: string
  day: string
  model: string
  key_id: string
  calls: number
  input_tokens: number
  output_tokens: number
  images: number
  video_seconds: number
  cost_micros: number
}

/** Adds those attempts that may have been billed to the sums of their day. */
export function upsertDays(ended: readonly Ended[]): Statement {
  const days = new Map<string, SpendDay>()
  let last: SpendDay | undefined
  for (const one of ended) {
    if (one.settlement.outcome === 'REJECTED') continue
    // Chats of one caller often come in a row.
    if (!last || !isOf(last, one)) last = dayIn(days, one)
    addCounts(last, one)
  }
  return {
    sql: `insert into spend_days as s (account_id, day, model, key_id, calls, input_tokens, output_tokens,
     images, video_seconds, cost_micros)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (account_id, day, model, key_id) do update set
     calls = s.calls + excluded.calls,
     input_tokens = s.input_tokens + excluded.input_tokens,
     output_tokens = s.output_tokens + excluded.output_tokens,
     images = s.images + excluded.images,
     video_seconds = s.video_seconds + excluded.video_seconds,
     cost_micros = s.cost_micros + excluded.cost_micros`,
    // In key order, so that two processes cannot deadlock.
    rows: [...days.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, d]) => [
        d.account_id,
        d.day,
        d.model,
        d.key_id,
        d.calls,
        d.input_tokens,
        d.output_tokens,
        d.images,
        d.video_seconds,
        d.cost_micros,
      ]),
  }
}

const isOf = (sum: SpendDay, { settled, settlement }: Ended): boolean =>
  sum.account_id === settled.account_id &&
  sum.day === dayOf(settlement.nowMs) &&
  sum.model === settled.model &&
  sum.key_id === (settled.key_id ?? '')

function dayIn(days: Map<string, SpendDay>, { settled, settlement }: Ended): SpendDay {
  const day = dayOf(settlement.nowMs)
  const keyId = settled.key_id ?? ''
  const key = `${settled.account_id} ${day} ${settled.model} ${keyId}`
  const known = days.get(key)
  if (known) return known
  const sum = {
    account_id: settled.account_id,
    day,
    model: settled.model,
    key_id: keyId,
    calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    images: 0,
    video_seconds: 0,
    cost_micros: 0,
  }
  days.set(key, sum)
  return sum
}

function addCounts(sum: SpendDay, { settlement: s, times = 1 }: Ended): void {
  sum.calls += times
  sum.input_tokens += times * boundedCount(s.units.inputTokens)
  sum.output_tokens += times * boundedCount(s.units.outputTokens)
  sum.images += times * (s.units.images ?? 0)
  sum.video_seconds += times * (s.units.videoSeconds ?? 0)
  sum.cost_micros += times * (s.costMicros ?? 0)
}
