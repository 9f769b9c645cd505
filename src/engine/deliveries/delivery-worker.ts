// Delivers the webhooks of ended runs: signed, at least once, until the schedule is used up.
// Everything it knows is in the store: if it is killed at any point, another worker delivers again
// under the same message identifier. Never lets one receiver wait for another, and keeps only the
// beginning of an answer.
import type { TimedClock } from '#core/clock.ts'
import { LeaseLost } from '#core/interruptions.ts'
import type { WebhookResult } from '#core/run-webhook.ts'
import {
  type Claim,
  type ClaimedDelivery,
  claimOf,
  type Deliveries,
  StoreUnavailable,
} from '#store/engine-store.ts'
import { ClaimLoop } from '../work/claim-loop.ts'
import type { Lease, LeaseKeeper } from '../work/lease-keeper.ts'
import { releaseOrQuarantine } from '../work/release.ts'
import { createSlots } from '../work/slots.ts'
import { type DeliveryLimits, deliverySlots, perProcess } from './delivery-slots.ts'
import { nextState } from './next-state.ts'
import { type SendDeps, sendWebhook } from './send-webhook.ts'

export type DeliveryWorkerOptions = SendDeps & {
  clock: TimedClock
  deliveries: Deliveries
  keeper: Pick<LeaseKeeper, 'current'>
  /** Those of `perProcess`, if absent. */
  limits?: DeliveryLimits
  /** Random number for jitter: 0 ≤ x < 1. */
  random(): number
  /** Adds to a stored event what may not be stored. */
  complete?(payload: string): string
  /** How long a stop waits for deliveries in flight. */
  stopGraceMs: number
  onTried?(result: WebhookResult): void
  onError(error: unknown, deliveryId?: string): void
}

export type DeliveryWorker = { wake(): void; stop(): Promise<void> }

const queuesPerRound = 1_000

export async function startDeliveryWorker(options: DeliveryWorkerOptions): Promise<DeliveryWorker> {
  const { deliveries, clock, keeper, stopGraceMs, onError } = options
  const loop: ClaimLoop<ClaimedDelivery> = new ClaimLoop({
    ...{ keeper, clock, queuesPerRound, stopGraceMs, onError },
    store: deliveries.claims,
    slots: createSlots(deliverySlots(options.limits ?? perProcess)),
    async prepare() {
      await deliveries.endWaits(clock.nowMs())
      return []
    },
    carryOut: (row, lease) => deliver(options, row, lease, loop.leaving),
  })
  await loop.start()
  return { wake: () => void loop.wake(), stop: () => loop.stop() }
}

async function deliver(
  options: DeliveryWorkerOptions,
  row: ClaimedDelivery,
  { workerId, lost }: Lease,
  leaving: AbortSignal,
): Promise<void> {
  const claim = claimOf(row, workerId)
  const until = AbortSignal.any([lost, leaving])
  try {
    await attemptAndRecord(options, row, claim, until)
  } catch (error) {
    // The new owner delivers it; a stopping process releases it with its lease.
    if (error instanceof LeaseLost || until.aborted) return
    options.onError(error, row.id)
    // If it were neither ended nor released, the delivery would stay claimed and idle for ever.
    if (error instanceof StoreUnavailable) return release(options, claim, until)
    await countAsFailed(options, row, claim).catch(() => release(options, claim, until))
  }
}

async function attemptAndRecord(
  options: DeliveryWorkerOptions,
  row: ClaimedDelivery,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  const { account_id: accountId, webhook_id: id, url, payload: body, attempts } = row
  const message = { accountId, id, url, body: options.complete?.(body) ?? body }
  const sent = await sendWebhook(options, message, signal)
  const { outcome, startedAtMs, endedAtMs: nowMs } = sent
  const next = nextState(outcome, { attempts, nowMs, random: options.random() })
  const { statusCode, error, body: answered } = outcome
  options.onTried?.(resultOf(statusCode))
  const times = { number: attempts + 1, startedAtMs, nowMs }
  const tried = { ...next, statusCode, error, body: answered, ...times }
  await options.deliveries.record(claim, tried)
}

function resultOf(statusCode: number | null): WebhookResult {
  if (statusCode === null) return 'unreachable'
  if (statusCode === 410) return 'disabled'
  return statusCode >= 200 && statusCode < 300 ? 'delivered' : 'refused'
}

/** An error on our side uses up an attempt; merely released, it would be tried for ever. */
function countAsFailed(
  { deliveries, clock, random }: DeliveryWorkerOptions,
  { attempts }: ClaimedDelivery,
  claim: Claim,
): Promise<void> {
  const nowMs = clock.nowMs()
  const failed = { statusCode: null, error: 'The delivery failed on this server.', body: null }
  const next = nextState({ ...failed, retryAfterMs: 0 }, { attempts, nowMs, random: random() })
  const times = { number: attempts + 1, startedAtMs: nowMs, nowMs }
  return deliveries.record(claim, { ...next, ...failed, ...times })
}

/** An unavailable store uses up no attempt, and releases are not counted. */
const release = (options: DeliveryWorkerOptions, claim: Claim, until: AbortSignal) =>
  releaseOrQuarantine(
    {
      ...{ releases: 0, isCounted: false },
      release: ({ atMs }) => options.deliveries.release(claim, atMs),
      quarantine: async () => {},
    },
    { ...options, until },
  )
