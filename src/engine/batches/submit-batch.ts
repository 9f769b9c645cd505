// A batch from its intent to the vendor's name for it.
import { Interruption } from '#core/interruptions.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import { ProviderError } from '#providers/provider.ts'
import type { VendorBatch } from '#store/engine-store.ts'
import { asProviderError, isSafeToRepeat } from '../calls/provider-failure.ts'
import { untilCertain } from '../work/lease-keeper.ts'
import {
  type BatchDeps,
  exchangeMs,
  giveUp,
  type Hand,
  store,
  storedAtOnce,
  withBatches,
  within,
} from './batch-hand.ts'
import { returned } from './batch-results.ts'

export async function submit(
  deps: BatchDeps,
  hand: Hand,
  calls: readonly { id: string; body: string }[],
): Promise<void> {
  const { economy, times } = deps
  const { batch, workerId, signal } = hand
  const confirm = () => stillOurs(deps, hand)
  try {
    const ref = await withBatches(deps, batch, (batches) =>
      batches.submit({ id: batch.id, calls }, { ...within(signal), confirm }),
    )
    const nowMs = await economy.now()
    const next = {
      status: 'SUBMITTED',
      ref,
      next_at: nowMs + times.pollMs,
      ended_at: null,
    } as const
    await economy.change(batch, next)
    deps.onBatch?.(batch.provider, 'SUBMITTED')
  } catch (thrown) {
    if (thrown instanceof Interruption) throw thrown
    const error = asRefusal(thrown)
    if (error.outcome === 'unknown') {
      // Whoever looks next looks for it at the vendor.
      const next_at = (await economy.now()) + times.pollMs
      await economy.change(batch, { status: 'SUBMITTING', ref: null, next_at, ended_at: null })
      return
    }
    deps.onError(error, batch.id)
    await refuse(deps, { batch, workerId, error })
  }
}

/**
 * A worker that looks for the batch takes it for not accepted if the vendor does not list it
 * `absentAfterMs` after it was stored. So nothing is submitted in the second half of that time, nor
 * by a worker that may have been replaced: the same calls could be in two batches.
 */
async function stillOurs({ economy, times, clock }: BatchDeps, { batch, lease }: Hand) {
  const heldUpMs = (await economy.now()) - batch.created_at
  if (heldUpMs > times.absentAfterMs / 2) {
    const message = `the batch was held up for ${heldUpMs} ms`
    throw new ProviderError('timeout', { outcome: 'not_sent', message })
  }
  await untilCertain(lease, clock)
}

/** A key that is gone is no outcome of a call: nothing was sent with it. */
const asRefusal = (thrown: unknown): ProviderError =>
  thrown instanceof NodeFailure
    ? new ProviderError('auth', { outcome: 'not_sent', message: thrown.message, cause: thrown })
    : asProviderError(thrown)

/** The vendor did not accept it: its calls try again later, unless that cannot help. */
async function refuse(
  { economy, times, ...deps }: BatchDeps,
  { batch, workerId, error }: { batch: VendorBatch; workerId: string; error: ProviderError },
): Promise<void> {
  const nowMs = await economy.now()
  deps.onBatch?.(batch.provider, 'REFUSED')
  if (isSafeToRepeat(error)) {
    return economy.dissolve(batch, nowMs, nowMs + Math.max(error.retryAfterMs ?? 0, times.pollMs))
  }
  const calls = await economy.sent(batch.id)
  const ends = calls.map((call) => returned(call, { reason: 'REFUSED', from: 'SENT', nowMs }))
  for (let i = 0; i < ends.length; i += storedAtOnce)
    await store({ economy, ...deps }, workerId, ends.slice(i, i + storedAtOnce), nowMs)
  await economy.change(batch, { status: 'REFUSED', ref: null, next_at: nowMs, ended_at: nowMs })
}

/** Nobody heard what became of its submission. */
export async function lookFor(deps: BatchDeps, hand: Hand): Promise<void> {
  const { economy, times } = deps
  const { batch, nowMs, signal } = hand
  const calls = await economy.sent(batch.id)
  const lostBatch = {
    id: batch.id,
    callIds: new Set(calls.map(({ id }) => id)),
    submittedAtMs: batch.created_at,
    submittedUntilMs: batch.created_at + exchangeMs,
    otherRefs: new Set(await economy.refs(batch)),
  }
  const found = await withBatches(deps, batch, (batches) =>
    batches.find(lostBatch, within(signal)),
  ).catch((error: unknown) => {
    if (error instanceof Interruption) throw error
    return 'unknown' as const
  })
  if (found !== null && found !== 'unknown') {
    await economy.change(batch, { status: 'SUBMITTED', ref: found, next_at: nowMs, ended_at: null })
    deps.onBatch?.(batch.provider, 'SUBMITTED')
    return
  }
  if (found === null && nowMs - batch.created_at >= times.absentAfterMs) {
    return economy.dissolve(batch, nowMs, nowMs)
  }
  // Batches that may be it hide it until they have ended, which takes them a window at most.
  if (nowMs >= batch.late_at + times.windowMs) return giveUp(deps, hand)
  const next_at = nowMs + times.pollMs
  await economy.change(batch, { status: 'SUBMITTING', ref: null, next_at, ended_at: null })
}
