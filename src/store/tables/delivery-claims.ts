import { LeaseLost } from '#core/interruptions.ts'
import { type Db, GuardFailed, type Writer } from '../db.ts'
import { bigint, integer, type Row, table, text, uuid } from '../table.ts'
import { type Claim, type ClaimRules, updateClaimed } from './claims.ts'
import { type DeliveryStatus, queueColumn } from './deliveries.ts'
import { insertTry } from './delivery-tries.ts'

const claimed = table({
  id: uuid,
  account_id: uuid,
  webhook_id: text(),
  url: text(),
  /** Not decoded, because this exact text is signed. */
  payload: text(),
  attempts: integer,
  epoch: bigint,
}).all

/** What a worker needs to know about a delivery it owns. */
export type ClaimedDelivery = Row<typeof claimed>

/** One account's deliveries to one receiver are a queue, so that no receiver delays another. */
export const deliveryClaims: ClaimRules<ClaimedDelivery> = {
  table: 'deliveries',
  queue: queueColumn,
  waits: `owner is null and completed_at is null and retry_at is null`,
  order: 'seq',
  selection: claimed,
  hasSharedLimit: false,
}

/** Makes deliveries whose time to retry has come available to claims. */
export const endWaits = (db: Db, nowMs: number) =>
  db.write(
    `update deliveries set retry_at = null where id in
       (select id from deliveries where retry_at <= $1 order by retry_at limit 1000 ${db.dialect.skipLocked})`,
    [nowMs],
  )

/** What an attempt changed, and how it went. */
export type RecordedAttempt = {
  status: DeliveryStatus
  /** While PENDING: when to try again. */
  retryAtMs: number | null
  /** From 1. */
  number: number
  statusCode: number | null
  error: string | null
  body: string | null
  startedAtMs: number
  nowMs: number
}

/** Throws LeaseLost if another worker has claimed the delivery. */
export async function recordAttempt(db: Db, claim: Claim, attempt: RecordedAttempt): Promise<void> {
  const { status, statusCode, error, body, startedAtMs, nowMs } = attempt
  const ended = {
    sql: `update deliveries set status = $4, attempts = attempts + 1, retry_at = $5,
       last_status_code = $6, last_error = $7, completed_at = $8, owner = null
     where id = $1 and owner = $2 and epoch = $3 returning id`,
    rows: [
      [
        claim.id,
        claim.owner,
        claim.epoch,
        status,
        attempt.retryAtMs,
        statusCode,
        error,
        status === 'PENDING' ? null : nowMs,
      ],
    ],
    isGuard: true as const,
  }
  const tried = insertTry(claim.id, attempt.number, {
    at: startedAtMs,
    duration_ms: nowMs - startedAtMs,
    status_code: statusCode,
    error,
    body,
  })
  try {
    await db.writeAll(() => [ended, tried])
  } catch (failure) {
    if (failure instanceof GuardFailed) throw new LeaseLost(claim.id)
    throw failure
  }
}

/** Releases a delivery without an attempt, to be claimed again at `retryAtMs`. */
export const releaseDelivery = (db: Writer, claim: Claim, retryAtMs: number) =>
  updateClaimed(db, 'deliveries', claim, {
    set: 'owner = null, retry_at = $4',
    params: [retryAtMs],
  })
