import type { Reader, Statement, Tx, Writer } from './db.ts'
import { boundedCount, upsertQuarters } from './usage-quarters.ts'

/**
 * PENDING: the call may be under way. REJECTED: surely not accepted. UNKNOWN: the answer was lost,
 * so it may have been billed. SUCCEEDED and FAILED: the provider said so.
 */
export type Outcome = 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'REJECTED' | 'UNKNOWN'

export type Units = {
  inputTokens?: number
  outputTokens?: number
  images?: number
  videoSeconds?: number
}

export type Attempt = {
  attempt: string
  accountId: string
  keyId: string | null
  taskId: string | null
  runId: string | null
  nodeId: string | null
  operation: 'chat' | 'image' | 'video'
  provider: string
  model: string
  unitPrice: string | null
  reservedMicros: number
  createdAtMs: number
}

export const openAttempt = (db: Writer, a: Attempt) =>
  db.write(
    `insert into ledger (attempt, account_id, key_id, task_id, run_id, node_id, operation, provider,
       model, unit_price, reserved_micros, outcome, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'PENDING', $12)`,
    [
      a.attempt,
      a.accountId,
      a.keyId,
      a.taskId,
      a.runId,
      a.nodeId,
      a.operation,
      a.provider,
      a.model,
      a.unitPrice,
      a.reservedMicros,
      a.createdAtMs,
    ],
  )

export type Settlement = {
  attempt: string
  outcome: Exclude<Outcome, 'PENDING'>
  units: Units
  costMicros: number | null
  nowMs: number
}

/** Of an attempt whose process died: it may have been billed, so it counts as spent. */
export const outcomeLost = (
  a: Pick<Attempt, 'attempt' | 'unitPrice' | 'reservedMicros'>,
  nowMs: number,
): Settlement => ({
  attempt: a.attempt,
  outcome: 'UNKNOWN',
  units: {},
  costMicros: a.unitPrice === null ? null : a.reservedMicros,
  nowMs,
})

/** What a settled attempt counts for. */
export type Settled = {
  account_id: string
  key_id: string | null
  model: string
  workflow_id: number | null
}

const settlePending = (tx: Tx, s: Settlement) =>
  tx.write<Settled>(
    `update ledger set outcome = $2, units = $3, cost_micros = $4, settled_at = $5,
       workflow_id = (select r.workflow_id from runs r where r.id = ledger.run_id)
     where attempt = $1 and outcome = 'PENDING'
     returning account_id, key_id, model, workflow_id`,
    [s.attempt, s.outcome, JSON.stringify(s.units), s.costMicros, s.nowMs],
  )

/** Settles attempts and adds them to the sums. An attempt settles once; repeats are idle. */
export async function settleAttempts(tx: Tx, settlements: readonly Settlement[]) {
  const rows = await Promise.all(settlements.map((s) => settlePending(tx, s)))
  const ended = settlements.flatMap((settlement, index) => {
    const settled = rows[index]?.[0]
    return settled ? [{ settled, settlement }] : []
  })
  for (const statement of sumsOf(ended)) await tx.run(statement)
}

/** An attempt that was settled just now. */
export type Ended = { settled: Settled; settlement: Settlement }

function sumsOf(ended: readonly Ended[]): Statement[] {
  const days = new Map<string, SpendDay>()
  for (const { settled, settlement } of ended) addToDay(days, settled, settlement)
  return [upsertDays(days), upsertQuarters(ended)]
}

/** An attempt of which no PENDING row was written: a chat, never the call of a run. */
export type ToldOnce = { intent: Attempt; settlement: Settlement }

/** Adds attempts as settled, and to the sums. One that is there already is a UniqueViolation. */
export function addSettled(told: readonly ToldOnce[]): Statement[] {
  const ended = told.map(
    ({ intent: { accountId: account_id, keyId: key_id, model }, settlement }) => ({
      settled: { account_id, key_id, model, workflow_id: null },
      settlement,
    }),
  )
  return [insertSettled(told), ...sumsOf(ended)]
}

// Returning a row would cost as much as writing it.
const insertSettled = (told: readonly ToldOnce[]): Statement => ({
  sql: `insert into ledger (attempt, account_id, key_id, task_id, run_id, node_id, operation, provider,
     model, unit_price, reserved_micros, outcome, created_at, units, cost_micros, settled_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
  rows: told.map(({ intent: a, settlement: s }) => [
    a.attempt,
    a.accountId,
    a.keyId,
    a.taskId,
    a.runId,
    a.nodeId,
    a.operation,
    a.provider,
    a.model,
    a.unitPrice,
    a.reservedMicros,
    s.outcome,
    a.createdAtMs,
    JSON.stringify(s.units),
    s.costMicros,
    s.nowMs,
  ]),
})

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

const dayMs = 24 * 3_600_000
let lastDay = { index: Number.NaN, text: '' }

/** Asked for with every attempt, and nearly always about the same day. */
export function dayOf(ms: number): string {
  const index = Math.floor(ms / dayMs)
  if (index !== lastDay.index) lastDay = { index, text: new Date(ms).toISOString().slice(0, 10) }
  return lastDay.text
}

function addToDay(days: Map<string, SpendDay>, row: Settled, s: Settlement) {
  if (s.outcome === 'REJECTED') return
  const day = dayOf(s.nowMs)
  const keyId = row.key_id ?? ''
  const key = `${row.account_id} ${day} ${row.model} ${keyId}`
  const sum = days.get(key) ?? {
    account_id: row.account_id,
    day,
    model: row.model,
    key_id: keyId,
    calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    images: 0,
    video_seconds: 0,
    cost_micros: 0,
  }
  sum.calls += 1
  sum.input_tokens += boundedCount(s.units.inputTokens)
  sum.output_tokens += boundedCount(s.units.outputTokens)
  sum.images += s.units.images ?? 0
  sum.video_seconds += s.units.videoSeconds ?? 0
  sum.cost_micros += s.costMicros ?? 0
  days.set(key, sum)
}

const upsertDays = (days: ReadonlyMap<string, SpendDay>): Statement => ({
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
  // In key order, so that two processes never wait for each other's rows.
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
})

/** Which of these attempts the ledger has. */
export async function knownAttempts(
  db: Reader,
  attempts: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>()
  for (const attempt of attempts) {
    const [row] = await db.query('select 1 as one from ledger where attempt = $1', [attempt])
    if (row) known.add(attempt)
  }
  return known
}

export const spendDays = (db: Reader, accountId: string, fromDay: string, toDay: string) =>
  db.query<SpendDay>(
    `select * from spend_days where account_id = $1 and day between $2 and $3
     order by day desc, model, key_id`,
    [accountId, fromDay, toDay],
  )

/**
 * Spent since `fromDay`, plus what is in flight; for one key, or for the whole account. In one
 * statement, which sees one moment: in two, what moves from waiting to pending between them
 * would be in neither.
 */
export async function committedMicros(
  db: Reader,
  accountId: string,
  { keyId, fromDay }: { keyId: string | null; fromDay: string },
): Promise<number> {
  // The days name a key as text, the other tables as a uuid.
  const [ofDay, ofRow] = keyId === null ? ['', ''] : ['and key_id = $3', 'and key_id = $4']
  const [row] = await db.query<{ micros: number | null }>(
    `select
       coalesce((select sum(cost_micros) from spend_days
         where account_id = $1 and day >= $2 ${ofDay}), 0)
       + coalesce((select sum(reserved_micros) from ledger
         where account_id = $1 and outcome = 'PENDING' ${ofRow}), 0)
       + coalesce((select sum(reserved_micros) from tasks
         where account_id = $1 and completed_at is null and stage = 'READY' ${ofRow}), 0) as micros`,
    keyId === null ? [accountId, fromDay] : [accountId, fromDay, keyId, keyId],
  )
  return Number(row?.micros ?? 0)
}

/** Spent since `fromDay`, without what is in flight. */
export async function spentMicros(
  db: Reader,
  accountId: string,
  { keyId, fromDay }: { keyId: string | null; fromDay: string },
): Promise<number> {
  const [row] = await db.query<{ micros: number | null }>(
    `select sum(cost_micros) as micros from spend_days
     where account_id = $1 and day >= $2 ${keyId === null ? '' : 'and key_id = $3'}`,
    keyId === null ? [accountId, fromDay] : [accountId, fromDay, keyId],
  )
  return Number(row?.micros ?? 0)
}

export type AbandonedAttempt = {
  attempt: string
  unit_price: string | null
  reserved_micros: number
}

/** Chats nobody will settle any more: their process died. */
export const abandonedChats = (db: Reader, beforeMs: number, limit: number) =>
  db.query<AbandonedAttempt>(
    `select attempt, unit_price, reserved_micros from ledger
     where outcome = 'PENDING' and operation = 'chat' and created_at < $1 limit $2`,
    [beforeMs, limit],
  )
