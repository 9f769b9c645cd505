// Decides whether a text call can wait for a vendor's batch, and writes down what would be sent. The
// reservation is the price outside batches: if the vendor returns the call, it is made at that.
import type { CatalogueEntry, Pricing } from '#core/catalogue.ts'
import { type BatchTimes, flexByMs, type NormalReason, sendByMs } from '#core/economy.ts'
import type { TextCall } from '#core/generation.ts'
import type { StopSignal } from '#core/stop.ts'
import type { Usage } from '#core/usage.ts'
import type { Batches } from '#providers/provider.ts'
import type { Attempt, EconomyCall } from '#store/engine-store.ts'
import { holdMessages } from '../calls/chat-pictures.ts'
import { neededAt, newAttempt } from '../calls/new-attempt.ts'
import type { ProviderKeys } from '../calls/provider-keys.ts'
import type { TextCallDeps } from '../calls/text-attempt.ts'
import { candidates, firstWith, priceText } from '../calls/text-models.ts'
import { requestOf } from '../calls/text-request.ts'

export type PrepareDeps = Pick<
  TextCallDeps,
  'catalogue' | 'providers' | 'clock' | 'pictures' | 'loadImage' | 'loadDocument'
> & {
  providerKeys: Pick<ProviderKeys, 'use'>
  times: BatchTimes
  /** How long calls are gathered before they are submitted together. */
  gatherMs: number
}

/** A call that may wait: its attempt, and what is sent. */
export type PreparedCall = {
  attempt: Attempt
  /** The most it can cost, at the price outside batches; null if that is not known. */
  neededMicros: number | null
  /** At the price of the batch: if its outcome is never known, and if no usage is reported. */
  batchedMicros: Pick<EconomyCall, 'needed_micros' | 'uncounted_micros'>
  credentialId: string | null
  pool: string
  /** JSON */
  body: string
  most: Usage
  price: string
  readyAtMs: number
  sendByMs: number
}

export type NormalCall = { reason: NormalReason; provider: string; model: string }

/** Until when a call may be made in a vendor's flex tier; undefined if its model has none. */
export type FlexUntil = (call: TextCall, deadlineMs: number) => number | undefined

export type PrepareCall = (
  call: TextCall,
  options: { deadlineMs: number; signal: StopSignal },
) => Promise<PreparedCall | NormalCall>

type Batched = { entry: CatalogueEntry; pricing: Pricing }

/** More would not fit into one batch with anything else. */
const maxBytes = 32 * 1024 * 1024

export function createCallPreparer(deps: PrepareDeps): PrepareCall {
  const { clock, times, gatherMs } = deps

  return async (call, { deadlineMs, signal }) => {
    const offered = candidates(deps.catalogue, call)
    const entry = firstWith(offered, call, 'batchPricing')
    const batched = entry?.batchPricing && { entry, pricing: entry.batchPricing }
    const [first] = offered.entries
    const normal = { provider: first.provider, model: first.model.id }
    if (!batched) return { reason: 'NO_BATCH', ...normal }
    const latestMs = sendByMs(deadlineMs, times)
    if (clock.nowMs() + gatherMs > latestMs) return { reason: 'TOO_LATE', ...normal }
    const written = (batches: Batches | undefined, credentialId: string | null) =>
      write(deps, {
        call,
        route: offered.route?.name,
        batched,
        batches,
        credentialId,
        latestMs,
        signal,
      })
    const prepared = await withBatches(deps, call, batched, written)
    return prepared ?? { reason: 'NO_BATCH', ...normal }
  }
}

export const flexUntil =
  ({ catalogue, times }: Pick<PrepareDeps, 'catalogue' | 'times'>): FlexUntil =>
  (call, deadlineMs) =>
    firstWith(candidates(catalogue, call), call, 'flexPricing') && flexByMs(deadlineMs, times)

function withBatches<T>(
  { providers, providerKeys }: PrepareDeps,
  { credential, principal: { accountId } }: TextCall,
  { entry: { provider } }: Batched,
  work: (batches: Batches | undefined, credentialId: string | null) => Promise<T>,
): Promise<T> {
  if (credential === undefined) return work(providers.get(provider)?.batches, null)
  const use = { accountId, credential: { name: credential }, provider }
  return providerKeys.use(use, (key) => work(key.provider.batches, key.credential.id))
}

type Writing = {
  call: TextCall
  route: string | undefined
  batched: Batched
  batches: Batches | undefined
  credentialId: string | null
  latestMs: number
  signal: StopSignal
}

/** Null if its vendor takes no batches, or not with this call. */
async function write(
  deps: PrepareDeps,
  { call, route, batched: { entry, pricing }, batches, credentialId, latestMs, signal }: Writing,
): Promise<PreparedCall | null> {
  if (!batches) return null
  const held = await holdMessages(deps, call, signal)
  try {
    const made = newAttempt(deps.clock, call, {
      messages: held.messages,
      entry,
      leastMicros: null,
    })
    const { maxTokens, most } = made.bounds
    const { providerModel: model, provider } = entry
    const request = requestOf(call, { model, messages: held.messages, maxTokens })
    const body = batches.bodyOf(request)
    if (body.length > maxBytes) return null
    const price = priceText(pricing)
    const needed_micros = neededAt(pricing, call, made)
    const uncounted_micros = made.uncountedMicros === null ? null : needed_micros
    const { principal, origin, credential } = call
    const attempt: Attempt = {
      attempt: made.id,
      accountId: principal.accountId,
      keyId: principal.keyId,
      taskId: null,
      runId: origin?.runId ?? null,
      nodeId: origin?.nodeId ?? null,
      operation: 'chat',
      provider,
      credential,
      model: entry.model.id,
      unitPrice: price,
      reservedMicros: made.reservedMicros ?? 0,
      createdAtMs: made.createdAtMs,
      tag: principal.tag,
      via: { route, tier: 'batch' },
      // Whoever asks for the batch settles it, whatever becomes of this process.
      holder: null,
    }
    return {
      ...{ attempt, credentialId, body, most, price, sendByMs: latestMs },
      neededMicros: made.reservedMicros,
      batchedMicros: { needed_micros, uncounted_micros },
      pool: `${provider} ${credentialId ?? ''} ${batches.poolOf(model)}`,
      readyAtMs: made.createdAtMs + deps.gatherMs,
    }
  } finally {
    held.release()
  }
}
