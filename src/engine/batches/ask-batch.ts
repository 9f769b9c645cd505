// A batch from the vendor's name for it to its results.
import { Interruption } from '#core/interruptions.ts'
import type { Batches } from '#providers/provider.ts'
import {
  type BatchDeps,
  giveUp,
  type Hand,
  store,
  storedAtOnce,
  withBatches,
  within,
} from './batch-hand.ts'
import { type Ended, endOf, lost, returned } from './batch-results.ts'

/** A failed poll never ends a batch; one that is late is asked to stop. */
export async function ask(deps: BatchDeps, hand: Hand): Promise<void> {
  const { batch, nowMs, signal } = hand
  const { status, ref } = batch
  const again = { status, ref, next_at: nowMs + deps.times.pollMs, ended_at: null }
  try {
    await withBatches(deps, batch, async (batches) => {
      const state = await batches.poll(ref ?? '', within(signal))
      if (state.state === 'ended') return storeResults(deps, hand, { batches, rest: state.rest })
      if (nowMs >= batch.late_at) await batches.cancel(ref ?? '', within(signal))
      await deps.economy.change(batch, again)
    })
  } catch (error) {
    if (error instanceof Interruption) throw error
    deps.onError(error, batch.id)
    // After so long the vendor has forgotten it, or nobody has its key any more.
    if (nowMs >= batch.late_at + deps.times.windowMs) return giveUp(deps, hand)
    await deps.economy.change(batch, again)
  }
}

async function storeResults(
  deps: BatchDeps,
  { batch, workerId, nowMs, signal }: Hand,
  { batches, rest }: { batches: Batches; rest: 'unprocessed' | 'unknown' },
): Promise<void> {
  const { economy, catalogue } = deps
  const left = new Map((await economy.sent(batch.id)).map((call) => [call.id, call]))
  let ends: Ended[] = []
  const flush = async () => {
    if (ends.length > 0) await store(deps, workerId, ends, nowMs)
    ends = []
  }
  for await (const result of batches.results(batch.ref ?? '', within(signal))) {
    const call = left.get(result.id)
    if (!call) continue
    left.delete(result.id)
    const model = catalogue.known(call.model)?.model
    ends.push(endOf(call, batch.provider, { result, model, nowMs }))
    if (ends.length >= storedAtOnce) await flush()
  }
  for (const call of left.values()) {
    const isFree = rest === 'unprocessed'
    ends.push(
      isFree ? returned(call, { reason: 'UNPROCESSED', from: 'SENT', nowMs }) : lost(call, nowMs),
    )
    if (ends.length >= storedAtOnce) await flush()
  }
  await flush()
  const { ref } = batch
  await economy.change(batch, { status: 'ENDED', ref, next_at: nowMs, ended_at: nowMs })
  deps.onBatch?.(batch.provider, 'ENDED')
}
