// What the parts of the batch worker share: a batch that this worker owns, its vendor, and how results
// are stored.
import type { Catalogue } from '#core/catalogue.ts'
import type { TimedClock } from '#core/clock.ts'
import type { BatchTimes } from '#core/economy.ts'
import { isLong } from '#core/payload-text.ts'
import type { PayloadStore } from '#media/payload-store.ts'
import { type Batches, type Provider, ProviderError } from '#providers/provider.ts'
import type { Economy, VendorBatch } from '#store/engine-store.ts'
import type { ProviderKeys } from '../calls/provider-keys.ts'
import type { Lease, LeaseKeeper } from '../work/lease-keeper.ts'
import { type Ended, lost } from './batch-results.ts'

export type BatchDeps = {
  economy: Economy
  catalogue: Pick<Catalogue, 'known'>
  providers: ReadonlyMap<string, Provider>
  providerKeys: Pick<ProviderKeys, 'use'>
  payloads: Pick<PayloadStore, 'put' | 'get'>
  keeper: Pick<LeaseKeeper, 'current'>
  clock: TimedClock
  times: BatchTimes
  onError(error: unknown, batchId?: string): void
  onBatch?(provider: string, outcome: 'SUBMITTED' | 'ENDED' | 'REFUSED' | 'LOST'): void
}

/** One batch in the hands of this worker. */
export type Hand = {
  batch: VendorBatch
  workerId: string
  lease: Pick<Lease, 'isCertain' | 'lost'>
  nowMs: number
  signal: AbortSignal
}

/** Some 200 rows of five tables in one transaction. */
export const storedAtOnce = 200
/** For one exchange with a vendor; a file of results may be long. */
export const exchangeMs = 10 * 60_000

export async function store(
  { economy, payloads }: Pick<BatchDeps, 'economy' | 'payloads'>,
  workerId: string,
  ends: readonly Ended[],
  nowMs: number,
): Promise<void> {
  const held = await Promise.all(
    ends.map(async ({ end, ...rest }) => {
      const { account_id } = rest.call
      const inStep = async (answer: unknown, costMicros: number | null) => ({
        result: await stored(payloads, account_id, answer),
        costMicros,
      })
      return {
        ...rest,
        held: await stored(payloads, account_id, end),
        answer: 'answer' in end ? await inStep(end.answer, end.costMicros) : null,
      }
    }),
  )
  await economy.end(workerId, held, nowMs)
}

async function stored(payloads: BatchDeps['payloads'], accountId: string, value: unknown) {
  const json = JSON.stringify(value)
  return isLong(json) ? await payloads.put(accountId, json) : json
}

/** Throws if the key is gone. */
export function withBatches<T>(
  { providers, providerKeys }: BatchDeps,
  { account_id: accountId, provider, credential_id: id }: VendorBatch,
  work: (batches: Batches) => Promise<T>,
): Promise<T> {
  const use = (batches: Batches | undefined) => {
    if (batches) return work(batches)
    const message = `${provider}: takes no batches here`
    throw new ProviderError('not_found', { outcome: 'not_sent', message })
  }
  if (id === null) return use(providers.get(provider)?.batches)
  return providerKeys.use({ accountId, credential: { id }, provider }, (key) =>
    use(key.provider.batches),
  )
}

export const within = (signal: AbortSignal) => ({
  signal: AbortSignal.any([signal, AbortSignal.timeout(exchangeMs)]),
})

/** The deadlines of its calls are near, and nobody knows what became of it. */
export async function giveUp(deps: BatchDeps, { batch, workerId, nowMs }: Hand): Promise<void> {
  const calls = await deps.economy.sent(batch.id)
  for (let i = 0; i < calls.length; i += storedAtOnce) {
    const ends = calls.slice(i, i + storedAtOnce).map((call) => lost(call, nowMs))
    await store(deps, workerId, ends, nowMs)
  }
  const { status, ref } = batch
  await deps.economy.change(batch, { status, ref, next_at: nowMs, ended_at: nowMs })
  deps.onBatch?.(batch.provider, 'LOST')
}
