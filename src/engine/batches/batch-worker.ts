// Submits queued calls in vendors' batches and asks for their results. Any number of processes do
// this at the same time: a batch and its calls are stored before the batch is submitted, one living
// worker at a time owns it, and results are stored with the waking of their runs. So a kill at any
// point loses nothing and submits nothing twice:
//
//   stored as SUBMITTING ── submit ──▶ SUBMITTED ── poll ──▶ results ──▶ ENDED
//        │                    │ refused: its calls are gathered again, or go at the normal price
//        └── killed, no answer: it is looked for. Found: SUBMITTED. Not listed for long: not accepted.
import { uuidV7 } from '#core/ids.ts'
import { Interruption } from '#core/interruptions.ts'
import { repeat } from '#core/repeat.ts'
import type { VendorBatch } from '#store/engine-store.ts'
import { ask } from './ask-batch.ts'
import { type BatchDeps, type Hand, store, storedAtOnce } from './batch-hand.ts'
import { returned } from './batch-results.ts'
import { formBatch } from './form-batch.ts'
import { lookFor, submit } from './submit-batch.ts'

const everyMs = 1_000
const claimedAtOnce = 10

export function startBatchWorker(deps: BatchDeps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const busy = new Set<string>()
  const stop = repeat(
    Math.min(everyMs, deps.times.pollMs),
    () => lookAtBatches(deps, busy, stopping.signal),
    (error) => {
      if (!(error instanceof Interruption)) deps.onError(error)
    },
    deps.clock,
  )
  return {
    async stop() {
      stopping.abort()
      await stop()
    },
  }
}

/** One round: what is due of everything. */
export async function lookAtBatches(
  deps: BatchDeps,
  busy: Set<string>,
  stopping: AbortSignal,
): Promise<void> {
  const { economy, keeper } = deps
  if (!(await economy.hasWork())) return
  const lease = keeper.current()
  const { workerId } = lease
  const signal = AbortSignal.any([stopping, lease.lost])
  const nowMs = await economy.now()
  await economy.settleDropped(nowMs)
  await returnLate(deps, workerId, nowMs)
  const work: Promise<void>[] = []
  const carryOut = (batch: VendorBatch, act: (hand: Hand) => Promise<void>) => {
    busy.add(batch.id)
    const hand = { batch, workerId, lease, nowMs, signal }
    const done = act(hand)
      .catch((error: unknown) => {
        if (!(error instanceof Interruption)) deps.onError(error, batch.id)
      })
      .finally(() => busy.delete(batch.id))
    work.push(done)
  }
  for (const pool of await economy.readyPools(nowMs)) {
    if (signal.aborted) break
    const formed = await formBatch(deps, pool, {
      id: uuidV7(deps.clock.nowMs()),
      workerId,
      nowMs,
    })
    if (formed) carryOut(formed.batch, (hand) => submit(deps, hand, formed.calls))
  }
  const due = await economy.claim(workerId, { nowMs, limit: claimedAtOnce, busy: [...busy] })
  for (const batch of due)
    carryOut(batch, (hand) =>
      batch.status === 'SUBMITTING' ? lookFor(deps, hand) : ask(deps, hand),
    )
  await Promise.all(work)
}

/** Calls that no batch can answer before their deadline go at the normal price. */
async function returnLate(deps: BatchDeps, workerId: string, nowMs: number): Promise<void> {
  for (;;) {
    const late = await deps.economy.late(nowMs, storedAtOnce)
    if (late.length === 0) return
    const ends = late.map((call) => returned(call, { reason: 'TOO_LATE', from: 'QUEUED', nowMs }))
    await store(deps, workerId, ends, nowMs)
  }
}
