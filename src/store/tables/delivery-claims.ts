import { type Db, GuardFailed, type Reader, type Writer } from '../db.ts'
import type { DeliveryStatus } from './deliveries.ts'
import { insertTry } from './delivery-tries.ts'
import { LeaseLost } from './tasks.ts'

/** What a worker needs of a delivery it owns. */
export type ClaimedDelivery = {
  id: string
  account_id: string
  webhook_id: string
  url: string
  payload: string
  attempts: number
  epoch: number
}

const claimable = `owner is null and completed_at is null and retry_at is null`

/** Deliveries whose waiting time is over may be claimed from now on. */
export const endWaits = (db: Db, nowMs: number) =>
  db.write(
    `update deliveries set retry_at = null where id in
       (select id from deliveries where retry_at <= $1 order by retry_at limit 1000 ${db.dialect.skipLocked})`,
    [nowMs],
  )

/** Lanes with claimable work, after `cursor` in their order; each is found by one look-up. */
export const lanesWithWork = (db: Reader, cursor: string, limit: number) =>
  db
    .query<{ lane: string }>(
      `with recursive lanes(lane) as (
         select (select lane from deliveries where ${claimable} and lane > $2
           order by lane limit 1)
         union all
         select (select d.lane from deliveries d where d.owner is null and d.completed_at is null
           and d.retry_at is null and d.lane > lanes.lane order by d.lane limit 1)
         from lanes where lanes.lane is not null
       )
       select lane from lanes where lane is not null limit $1`,
      [limit, cursor],
    )
    .then((rows) => rows.map((row) => row.lane))

export const claimDeliveries = (db: Db, claim: { workerId: string; lane: string; limit: number }) =>
  db.write<ClaimedDelivery>(
    `update deliveries set owner = $1, epoch = epoch + 1
     where id in (select id from deliveries where lane = $2 and ${claimable}
       order by seq limit $3 ${db.dialect.skipLocked})
     returning id, account_id, webhook_id, url, payload, attempts, epoch`,
    [claim.workerId, claim.lane, claim.limit],
  )

/** Proof that a worker still owns a delivery; every write of the work side carries it. */
export type DeliveryLease = { deliveryId: string; workerId: string; epoch: number }

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

/** Throws LeaseLost where another worker has taken the delivery. */
export async function recordAttempt(
  db: Db,
  lease: DeliveryLease,
  attempt: RecordedAttempt,
): Promise<void> {
  const { status, statusCode, error, body, startedAtMs, nowMs } = attempt
  const ended = {
    sql: `update deliveries set status = $4, attempts = attempts + 1, retry_at = $5,
       last_status_code = $6, last_error = $7, completed_at = $8, owner = null
     where id = $1 and owner = $2 and epoch = $3 returning id`,
    rows: [
      [
        lease.deliveryId,
        lease.workerId,
        lease.epoch,
        status,
        attempt.retryAtMs,
        statusCode,
        error,
        status === 'PENDING' ? null : nowMs,
      ],
    ],
    isGuard: true as const,
  }
  const tried = insertTry(lease.deliveryId, attempt.number, {
    at: startedAtMs,
    duration_ms: nowMs - startedAtMs,
    status_code: statusCode,
    error,
    body,
  })
  try {
    await db.writeAll(() => [ended, tried])
  } catch (failure) {
    if (failure instanceof GuardFailed) throw new LeaseLost(lease.deliveryId)
    throw failure
  }
}

/** Gives a delivery back without an attempt; nothing happens where another worker has it. */
export const releaseDelivery = (db: Writer, lease: DeliveryLease, retryAtMs: number) =>
  db.write(
    `update deliveries set owner = null, retry_at = $4
     where id = $1 and owner = $2 and epoch = $3`,
    [lease.deliveryId, lease.workerId, lease.epoch, retryAtMs],
  )
