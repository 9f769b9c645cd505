import type { BatchTimes } from '#core/economy.ts'
import type { PayloadStore } from '#media/payload-store.ts'
import type { BatchedCall } from '#providers/batch-contract.ts'
import type { Economy, QueuedCall, VendorBatch } from '#store/engine-store.ts'

type FormDeps = { economy: Economy; payloads: Pick<PayloadStore, 'get'>; times: BatchTimes }

/** Vendors take 200 MB and more; all of it is in memory here while it is sent. */
const maxBytes = 64 * 1024 * 1024

/** Stores a batch of the calls that wait in a pool. Null if there are none any more. */
export async function formBatch(
  { economy, payloads, times }: FormDeps,
  pool: { account_id: string; pool: string },
  { id, workerId, nowMs }: { id: string; workerId: string; nowMs: number },
): Promise<{ batch: VendorBatch; calls: BatchedCall[] } | null> {
  const formed = await economy.form(workerId, pool, fitting, {
    ...{ id, ...pool, status: 'SUBMITTING', ref: null, owner: workerId },
    ...{ next_at: nowMs, created_at: nowMs, ended_at: null },
    late_at: Math.round(nowMs + times.windowMs + times.marginMs / 4),
  })
  if (!formed) return null
  const calls: BatchedCall[] = []
  for (const { id, value } of formed.calls)
    calls.push({ id, body: await payloads.get(pool.account_id, value) })
  return { batch: formed.batch, calls }
}

/** As many of the oldest as fit, one at least. */
export function fitting(queued: readonly QueuedCall[]): QueuedCall[] {
  let bytes = 0
  return queued.filter((call, index) => {
    bytes += call.bytes
    return index === 0 || bytes <= maxBytes
  })
}
