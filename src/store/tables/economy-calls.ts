// Text calls of runs that let vendors answer later. Whatever ends one updates the row of its run
// first, like everything that closes a wait, then the call, then the wait.
//
//   QUEUED ── in a batch ──▶ SENT ── result ──▶ BATCHED
//     │  ▲                    │ └── unprocessed ──▶ RETURNED: goes at the normal price
//     │  └─ surely not accepted
//     ├── too late for a batch ──▶ RETURNED
//     └── its run ends ──▶ DROPPED ── settled ──▶ CANCELLED
import type { NormalReason } from '#core/economy.ts'
import type { Usage } from '#core/usage.ts'
import type { Db, Reader, Statement, Tx } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import { bigint, json, orNull, type Row, table, text, time, uuid } from '../table.ts'
import { settleAttempts, spendFreed } from './ledger.ts'
import { copyLateKey } from './reusable-calls.ts'
import type { Settlement } from './settlement.ts'
import { answerWait, type WokenRun, wakeRun } from './waits.ts'

type CallStatus =
  | 'QUEUED'
  | 'SENT'
  | 'BATCHED'
  | 'RETURNED'
  | 'DROPPED'
  | 'CANCELLED'
  /** It was never queued. */
  | 'NORMAL'
  /** Nor was this: it was answered in the vendor's flex tier. */
  | 'FLEX'

const economyCall = table({
  /** Of its attempt in the ledger. */
  id: text(),
  account_id: uuid,
  run_id: uuid,
  path: text(),
  /** Null if it never waited. */
  wait_id: orNull(uuid),
  provider: text(),
  credential_id: orNull(uuid),
  /** Calls of an account with the same pool may share a batch. */
  pool: text(),
  model: text(),
  /** JSON of the prices that it is billed by. */
  price: orNull(text()),
  /** The most that it can use. */
  most: orNull(json<Usage>()),
  /** What it costs if nobody knows what became of it. */
  needed_micros: orNull(bigint),
  /** What it costs if its vendor reports no usage; null if nobody knows. */
  uncounted_micros: orNull(bigint),
  bytes: bigint,
  status: text<CallStatus>(),
  reason: orNull(text<NormalReason>()),
  batch_id: orNull(uuid),
  created_at: time,
  ready_at: time,
  /** In a batch after this, it could miss the deadline of its run. */
  send_by: time,
})
const whole = economyCall.all
export type EconomyCall = Row<typeof whole>

const columns = whole.columns.split(', ') as (keyof EconomyCall)[]
const placeholders = columns.map((_, i) => `$${i + 1}`).join(', ')

export const insertCall = (tx: Pick<Tx, 'write'>, call: EconomyCall) => {
  const cells = economyCall.encode<keyof EconomyCall>(call)
  return tx.write(
    `insert into economy_calls (${whole.columns}) values (${placeholders})
     on conflict (id) do nothing`,
    columns.map((name) => cells[name]),
  )
}

/** Runs that have failed or ended need no answers; what was submitted may still be billed. */
export const dropUnsentOf = ({ inList, list }: Dialect, runIds: readonly string[]): Statement => ({
  sql: `update economy_calls set status = 'DROPPED'
    where run_id ${inList('$1', 'uuid')} and status = 'QUEUED'`,
  rows: runIds.length === 0 ? [] : [[list(runIds)]],
})

/** Whether calls of the run are at a vendor. */
export async function hasSentCalls(db: Reader, runId: string): Promise<boolean> {
  const [row] = await db.query(
    `select 1 as one from economy_calls where run_id = $1 and status = 'SENT' limit 1`,
    [runId],
  )
  return row !== undefined
}

/** Three look-ups in indexes that are empty unless there is something to do. */
export async function hasEconomyWork(db: Reader): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one where exists (select 1 from economy_calls where status = 'QUEUED')
       or exists (select 1 from economy_calls where status = 'DROPPED')
       or exists (select 1 from vendor_batches where ended_at is null)`,
  )
  return rows.length > 0
}

export type Pool = { account_id: string; pool: string }

/** Pools in which a call has been gathered for long enough. */
export const readyPools = (db: Reader, nowMs: number) =>
  db.query<Pool>(
    `select distinct account_id, pool from economy_calls
     where status = 'QUEUED' and ready_at <= $1 limit 100`,
    [nowMs],
  )

const queued = economyCall
  .select('id', 'run_id', 'path', 'bytes', 'send_by', 'provider', 'credential_id')
  .beside<{ is_open: number; value: string }>()
export type QueuedCall = Row<typeof queued>

/**
 * The oldest calls of a pool, with their requests: JSON or references to it. One that waited for
 * room under a limit may be stored just after its run has ended, when nobody closes its wait.
 */
export const queuedCalls = (tx: Reader, { account_id, pool }: Pool, limit: number) =>
  queued.query(
    tx,
    `select ${queued.of('e')}, w.value,
       case when w.status = 'OPEN' and r.completed_at is null and r.cancel_requested_at is null
         then 1 else 0 end as is_open
     from economy_calls e join waits w on w.id = e.wait_id join runs r on r.id = e.run_id
     where e.account_id = $1 and e.pool = $2 and e.status = 'QUEUED'
     order by e.created_at limit $3`,
    [account_id, pool, limit],
  )

/** Of these, those that still were queued. */
export const moveQueued = async (
  tx: Tx,
  ids: readonly string[],
  next: { status: 'SENT' | 'DROPPED'; batchId: string | null },
): Promise<string[]> => {
  if (ids.length === 0) return []
  const rows = await tx.write<{ id: string }>(
    `update economy_calls set status = $1, batch_id = $2
     where id ${tx.dialect.inList('$3', 'text')} and status = 'QUEUED' returning id`,
    [next.status, next.batchId, tx.dialect.list(ids)],
  )
  return rows.map(({ id }) => id)
}

const sent = economyCall.select(
  ...(['id', 'account_id', 'run_id', 'path', 'wait_id', 'model', 'price', 'most'] as const),
  ...(['needed_micros', 'uncounted_micros'] as const),
)
export type SentCall = Row<typeof sent>

export const sentCalls = (db: Reader, batchId: string) =>
  sent.query(
    db,
    `select ${sent.columns} from economy_calls where batch_id = $1 and status = 'SENT'
     order by run_id, id`,
    [batchId],
  )

/** Those that a batch can no longer be in before the deadline of their run. */
export const lateCalls = (db: Reader, nowMs: number, limit: number) =>
  sent.query(
    db,
    `select ${sent.columns} from economy_calls where status = 'QUEUED' and send_by <= $1
     order by run_id, id limit $2`,
    [nowMs, limit],
  )

/** Gathered again: the vendor certainly did not accept their batch. */
export const queueAgain = (tx: Tx, batchId: string, readyAtMs: number) =>
  tx.write(
    `update economy_calls set status = 'QUEUED', batch_id = null, ready_at = $2
     where batch_id = $1 and status = 'SENT'`,
    [batchId, readyAtMs],
  )

export type EndedCall = {
  call: Pick<SentCall, 'id' | 'account_id' | 'run_id' | 'path' | 'wait_id'>
  from: 'QUEUED' | 'SENT'
  status: 'BATCHED' | 'RETURNED'
  reason: NormalReason | null
  settlement: Settlement
  /** JSON of a `BatchedEnd`, or a reference to it. */
  held: string
  /** The same of the answer alone, as its step holds it; null if there is none. */
  answer: { result: string; costMicros: number | null } | null
}

/** Stores results and wakes their runs. A call that has ended meanwhile is left as it is. */
export async function endCalls(tx: Tx, ends: readonly EndedCall[], nowMs: number): Promise<void> {
  const inOrder = [...ends].sort((a, b) => (a.call.run_id < b.call.run_id ? -1 : 1))
  const awake = new Map<string, WokenRun | undefined>()
  for (const { call } of inOrder) {
    if (awake.has(call.run_id)) continue
    awake.set(call.run_id, await wakeRun(tx, call.account_id, call.run_id))
  }
  const settled: Settlement[] = []
  for (const { call, from, status, reason, settlement, held, answer } of inOrder) {
    const moved = await tx.write(
      `update economy_calls set status = $3, reason = $4
       where id = $1 and status = $2 returning id`,
      [call.id, from, status, reason],
    )
    if (moved.length === 0) continue
    settled.push(settlement)
    const wait = { account_id: call.account_id, id: call.wait_id ?? '' }
    await answerWait(tx, wait, { held, by: 'batch', from: null, nowMs })
    // An ended run adds up its cost again.
    const run = awake.get(call.run_id)
    if (!run) {
      const again = 'update runs set in_flight = 1 where id = $1 and account_id = $2'
      await tx.write(again, [call.run_id, call.account_id])
    }
    if (answer) await endStep(tx, call, { ...answer, isLate: !run?.canBeAnswered, nowMs })
  }
  await settleAttempts(tx, settled)
  tx.notify(spendFreed)
}

/**
 * With the bill for it, because its run may fail or be cancelled before it reads the answer. Keys of
 * runs that have ended are copied once, so that one which comes `isLate` is copied here.
 */
async function endStep(
  tx: Tx,
  { account_id, run_id, path }: EndedCall['call'],
  end: NonNullable<EndedCall['answer']> & { isLate: boolean; nowMs: number },
): Promise<void> {
  const [step] = await tx.write<{ reuse: string | null }>(
    `update steps set status = 'DONE', ended_at = $3, result = $4, cost_micros = $5
     where run_id = $1 and path = $2 and status = 'STARTED' returning reuse`,
    [run_id, path, end.nowMs, end.result, end.costMicros],
  )
  if (!step || !end.isLate) return
  await tx.run(copyLateKey(account_id, { run_id, path, reuse: step.reuse }))
}

/** Settles calls that were given up before they were submitted. Returns how many there were. */
export const settleDropped = (db: Db, nowMs: number, limit: number): Promise<number> =>
  db.transaction(async (tx) => {
    const rows = await tx.write<{ id: string }>(
      `update economy_calls set status = 'CANCELLED' where id in
         (select id from economy_calls where status = 'DROPPED' limit $1 ${tx.dialect.skipLocked})
       returning id`,
      [limit],
    )
    if (rows.length === 0) return 0
    const free = { outcome: 'REJECTED', units: {}, costMicros: 0, nowMs } as const
    await settleAttempts(
      tx,
      rows.map(({ id }) => ({ attempt: id, ...free })),
    )
    tx.notify(spendFreed)
    return rows.length
  })

const noted = economyCall.select('path', 'model', 'status', 'reason')

/** What became of the text calls of a run. */
export const callsOfRun = (db: Reader, accountId: string, runId: string) =>
  noted.query(
    db,
    `select ${noted.columns} from economy_calls where account_id = $1 and run_id = $2 order by path`,
    [accountId, runId],
  )
