import type { Db, Reader, Tx } from '../db.ts'
import {
  type EconomyCall,
  type EndedCall,
  endCalls,
  hasEconomyWork,
  insertCall,
  lateCalls,
  moveQueued,
  type Pool,
  type QueuedCall,
  queueAgain,
  queuedCalls,
  readyPools,
  type SentCall,
  sentCalls,
  settleDropped,
} from '../tables/economy-calls.ts'
import {
  type BatchChange,
  type ClaimLimits,
  changeBatch,
  claimBatches,
  insertBatch,
  otherRefs,
  type VendorBatch,
} from '../tables/vendor-batches.ts'
import { holdLease } from '../tables/workers.ts'

export type { EconomyCall, EndedCall, QueuedCall, SentCall } from '../tables/economy-calls.ts'
export type { VendorBatch } from '../tables/vendor-batches.ts'

export type FormedBatch = { batch: VendorBatch; calls: readonly QueuedCall[] }

/** Calls that wait for a vendor's batch, and the batches. A worker without its lease writes nothing. */
export type Economy = {
  /** The database's clock. */
  now(): Promise<number>
  /** False if no call waits for a batch, and no batch for a look. */
  hasWork(): Promise<boolean>
  /** Records a call of a run that never waits for a batch. */
  note(call: EconomyCall): Promise<unknown>
  readyPools(nowMs: number): Promise<Pool[]>
  /**
   * Stores a batch of queued calls of the pool, before it is submitted; `choose` says which. Null if
   * there are none.
   */
  form(
    workerId: string,
    pool: Pool,
    choose: (calls: readonly QueuedCall[]) => readonly QueuedCall[],
    batch: Omit<VendorBatch, 'calls' | 'provider' | 'credential_id'>,
  ): Promise<FormedBatch | null>
  /** Batches that are due for a look, which this worker then owns. */
  claim(workerId: string, limits: ClaimLimits): Promise<VendorBatch[]>
  change(batch: VendorBatch, next: BatchChange): Promise<boolean>
  /** The vendor certainly did not accept it: its calls are gathered again. */
  dissolve(batch: VendorBatch, nowMs: number, readyAtMs: number): Promise<void>
  sent(batchId: string): Promise<SentCall[]>
  /** The vendor's names for the account's other batches with the same key. */
  refs(batch: VendorBatch): Promise<string[]>
  late(nowMs: number, limit: number): Promise<SentCall[]>
  end(workerId: string, ends: readonly EndedCall[], nowMs: number): Promise<void>
  settleDropped(nowMs: number): Promise<number>
}

/** More would make one transaction long; a run with more calls in a pool has several batches. */
const formedAtOnce = 10_000
const settledAtOnce = 500

export const economyIn = (db: Db): Economy => ({
  now: () => nowIn(db),
  hasWork: () => hasEconomyWork(db),
  note: (call) => insertCall(db, call),
  readyPools: (nowMs) => readyPools(db, nowMs),
  form: (workerId, pool, choose, batch) =>
    db.transaction(async (tx) => {
      await holdLease(tx, workerId)
      return form(tx, pool, choose, batch)
    }),
  claim: (workerId, limits) =>
    db.transaction(async (tx) => {
      await holdLease(tx, workerId)
      return claimBatches(tx, workerId, limits)
    }),
  change: (batch, next) => changeBatch(db, batch, next),
  dissolve: (batch, nowMs, readyAtMs) =>
    db.transaction(async (tx) => {
      const next = { status: 'REFUSED', ref: null, next_at: nowMs, ended_at: nowMs } as const
      if (await changeBatch(tx, batch, next)) await queueAgain(tx, batch.id, readyAtMs)
    }),
  sent: (batchId) => sentCalls(db, batchId),
  refs: (batch) => otherRefs(db, batch),
  late: (nowMs, limit) => lateCalls(db, nowMs, limit),
  end: (workerId, ends, nowMs) =>
    db.transaction(async (tx) => {
      await holdLease(tx, workerId)
      return endCalls(tx, ends, nowMs)
    }),
  settleDropped: (nowMs) => settleDropped(db, nowMs, settledAtOnce),
})

async function nowIn(db: Reader): Promise<number> {
  const [row] = await db.query<{ now_ms: number }>(`select ${db.dialect.nowMs} as now_ms`)
  return row?.now_ms ?? 0
}

async function form(
  tx: Tx,
  pool: Pool,
  choose: Parameters<Economy['form']>[2],
  batch: Parameters<Economy['form']>[3],
): Promise<FormedBatch | null> {
  const queued = await queuedCalls(tx, pool, formedAtOnce)
  const given = queued.filter(({ is_open }) => is_open === 0)
  await moveQueued(
    tx,
    given.map(({ id }) => id),
    { status: 'DROPPED', batchId: null },
  )
  const chosen = choose(queued.filter(({ is_open }) => is_open === 1))
  const moved = new Set(
    await moveQueued(
      tx,
      chosen.map(({ id }) => id),
      { status: 'SENT', batchId: batch.id },
    ),
  )
  const calls = chosen.filter(({ id }) => moved.has(id))
  const [first] = calls
  if (!first) return null
  const { provider, credential_id } = first
  const row = { ...batch, provider, credential_id, calls: calls.length }
  await insertBatch(tx, row)
  return { batch: row, calls }
}
