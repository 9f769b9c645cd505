// Delivers what ended runs left in the outbox: signed, at least once, until the schedule ends.
// Everything it knows is in the store: killed at any point, another worker delivers again under
// the same message identifier. Never lets one receiver wait for another, and keeps of an answer
// its beginning alone.
import { delay } from '#core/clock.ts'
import { type Db, StoreUnavailable } from '#store/db.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryLease,
  endWaits,
  lanesWithWork,
  recordAttempt,
  releaseDelivery,
} from '#store/tables/delivery-claims.ts'
import { LeaseLost } from '#store/tables/tasks.ts'
import { claimKey, releaseOrphanedClaims } from '#store/tables/work-owners.ts'
import { createLanes, type LaneLimits } from './lanes.ts'
import { nextState } from './next-state.ts'
import { type SendParts, sendWebhook } from './send.ts'

/** Aborts when it is lost; whatever was claimed under it must be dropped. */
type Lease = { workerId: string; lost: AbortSignal }

export type DeliveryWorkerOptions = SendParts & {
  keeper: { current(): Lease }
  limits: LaneLimits
  /** Chance, for jitter: 0 ≤ x < 1. */
  random(): number
  /** How long a stop waits for attempts under way. */
  stopGraceMs: number
  onError(error: unknown, deliveryId?: string): void
}

export type DeliveryWorker = { wake(): void; stop(): Promise<void> }

// The safety net behind wake-ups, and the resolution of retries.
const pollMs = 500
const lanesPerRound = 1_000
const giveBackPauseMs = 2_000

export async function startDeliveryWorker(options: DeliveryWorkerOptions): Promise<DeliveryWorker> {
  const { db, clock, keeper } = options
  const lanes = createLanes(options.limits)
  /** By claim. */
  const running = new Map<string, Promise<void>>()
  const giveUp = new AbortController()
  let isStopping = false
  let cursor = ''
  let claiming: Promise<void> | null = null
  let claimAgain = false
  let mayHaveOrphans = false

  const claimRound = async () => {
    await endWaits(db, clock.nowMs())
    const lease = keeper.current()
    if (mayHaveOrphans) await releaseOrphanedClaims(db, 'deliveries', lease.workerId, running)
    mayHaveOrphans = false
    const waiting = await lanesFrom(db, cursor)
    const plan = lanes.reserve(waiting)
    cursor = plan.at(-1)?.lane ?? waiting.at(-1) ?? ''
    // Asked for together, the claims of all lanes share one commit.
    await Promise.all(
      plan.map(async ({ lane, limit }) => {
        const rows = await claimDeliveries(db, { workerId: lease.workerId, lane, limit }).catch(
          (error) => {
            mayHaveOrphans = true
            options.onError(error)
            return []
          },
        )
        lanes.release(lane, limit - rows.length)
        for (const row of rows) run(row, lane, lease)
        if (rows.length === limit) claimAgain = true
      }),
    )
  }
  const run = (row: ClaimedDelivery, lane: string, lease: Lease) => {
    const done = deliver(options, row, lease, giveUp.signal).finally(() => {
      running.delete(claimKey(row))
      lanes.release(lane, 1)
      wake()
    })
    running.set(claimKey(row), done)
  }
  const wake = () => {
    claimAgain = true
    if (!isStopping) claiming ??= claimWhileThereIsMore()
  }
  const claimWhileThereIsMore = async () => {
    while (claimAgain && !isStopping) {
      claimAgain = false
      await claimRound().catch(options.onError)
    }
    claiming = null
  }
  const unlisten = await db.listen('deliveries', wake)
  const timer = setInterval(wake, pollMs)
  wake()
  return {
    wake,
    async stop() {
      clearInterval(timer)
      isStopping = true
      await unlisten()
      await claiming
      const graceTimer = setTimeout(() => giveUp.abort(), options.stopGraceMs)
      await Promise.all(running.values())
      clearTimeout(graceTimer)
    },
  }
}

/** From where the last round ended, then from the start: every lane gets its turn. */
async function lanesFrom(db: Db, cursor: string): Promise<string[]> {
  const after = await lanesWithWork(db, cursor, lanesPerRound)
  if (cursor === '' || after.length === lanesPerRound) return after
  const before = await lanesWithWork(db, '', lanesPerRound - after.length)
  return [...new Set([...after, ...before])]
}

async function deliver(
  options: DeliveryWorkerOptions,
  row: ClaimedDelivery,
  { workerId, lost }: Lease,
  giveUp: AbortSignal,
): Promise<void> {
  const lease = { deliveryId: row.id, workerId, epoch: row.epoch }
  const signal = AbortSignal.any([lost, giveUp])
  try {
    await attemptAndRecord(options, row, lease, signal)
  } catch (error) {
    // Whoever has the lease now delivers it; a stopping process gives it back with the lease.
    if (error instanceof LeaseLost || signal.aborted) return
    options.onError(error, row.id)
    if (error instanceof StoreUnavailable) return giveBack(options, lease, signal)
    await countAsFailed(options, row, lease).catch(() => giveBack(options, lease, signal))
  }
}

/** Whatever goes wrong on our side uses up an attempt: given back, it would be tried for ever. */
function countAsFailed(
  { db, clock, random }: DeliveryWorkerOptions,
  { attempts }: ClaimedDelivery,
  lease: DeliveryLease,
): Promise<void> {
  const nowMs = clock.nowMs()
  const failed = { statusCode: null, error: 'The delivery failed on this server.', body: null }
  const next = nextState({ ...failed, retryAfterMs: 0 }, { attempts, nowMs, random: random() })
  const times = { number: attempts + 1, startedAtMs: nowMs, nowMs }
  return recordAttempt(db, lease, { ...next, ...failed, ...times })
}

async function attemptAndRecord(
  options: DeliveryWorkerOptions,
  row: ClaimedDelivery,
  lease: DeliveryLease,
  signal: AbortSignal,
): Promise<void> {
  const { account_id: accountId, webhook_id: id, url, payload: body, attempts } = row
  const sent = await sendWebhook(options, { accountId, id, url, body }, signal)
  const { outcome, startedAtMs, endedAtMs: nowMs } = sent
  const next = nextState(outcome, { attempts, nowMs, random: options.random() })
  const { statusCode, error, body: answered } = outcome
  await recordAttempt(options.db, lease, {
    ...next,
    number: attempts + 1,
    statusCode,
    error,
    body: answered,
    startedAtMs,
    nowMs,
  })
}

/** The store was away: without this the delivery would stay ours, and idle, for ever. */
async function giveBack(
  { db, clock }: DeliveryWorkerOptions,
  lease: DeliveryLease,
  until: AbortSignal,
): Promise<void> {
  while (!until.aborted) {
    try {
      await releaseDelivery(db, lease, clock.nowMs() + giveBackPauseMs)
      return
    } catch {
      await delay(giveBackPauseMs, until).catch(() => undefined)
    }
  }
}
