import { randomBytes } from 'node:crypto'
import { sequencedUuid } from '#core/ids.ts'
import { type EndedRun, runWebhook, type WebhookType, withoutQuery } from '#core/run-webhook.ts'
import { waitingType } from '#core/waiting-event.ts'
import type { Db, Reader, Tx } from '../db.ts'
import { readWindows } from '../numbered-windows.ts'
import { bigint, integer, json, orNull, type Row, table, text, time, uuid } from '../table.ts'
import { deleteOldEnds, listBounds, lockList, takeNumbers } from './sequences.ts'

/** Of an event that belongs to no run. */
export const noRun = '00000000-0000-0000-0000-000000000000'

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED' | 'DISABLED'

const deliveries = table({
  id: uuid,
  seq: bigint,
  webhook_id: text(),
  run_id: uuid,
  url: text(),
  type: text<WebhookType>(),
  /** What is signed and sent. */
  payload: json<object>(),
  status: text<DeliveryStatus>(),
  attempts: integer,
  last_status_code: orNull(integer),
  last_error: orNull(text()),
  retry_at: orNull(time),
  created_at: time,
  completed_at: orNull(time),
})

/** The column with a delivery's queue, by account and host. The migration named it `lane`. */
export const queueColumn = 'lane'

const shown = deliveries.without('payload')
const whole = deliveries.all

/** What is shown of a delivery: everything but the payload. */
export type DeliveryRow = Row<typeof shown>

/** Called in the transaction that ends runs, so that no delivery is missing or sent too early. */
export type RecordRunEnd = (tx: Tx, ...runs: EndedRun[]) => Promise<void>

export const createRunEndRecorder =
  (runUrl: (runId: string) => string): RecordRunEnd =>
  (tx, ...runs) =>
    insertDeliveries(
      tx,
      runs.flatMap((run) => {
        const { accountId, runId, callbackUrl: url, completedAtMs: nowMs } = run
        if (url === null) return []
        const webhookId = `msg_${randomBytes(16).toString('hex')}`
        return [{ accountId, runId, url, nowMs, webhookId, ...runWebhook(run, runUrl(runId)) }]
      }),
    )

export type NewDelivery = {
  accountId: string
  runId: string
  url: string
  type: WebhookType
  /** Receivers recognise repeats by it. */
  webhookId: string
  body: string
  nowMs: number
}

export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<void> {
  const accounts = Map.groupBy(deliveries, ({ accountId }) => accountId)
  // Always in the same order, so that two processes cannot deadlock.
  for (const accountId of [...accounts.keys()].sort()) {
    const events = accounts.get(accountId) ?? []
    const count = events.length
    const nowMs = Math.max(...events.map((event) => event.nowMs))
    const numbers = await takeNumbers(tx, accountId, 'deliveries', { count, nowMs })
    const { lastSeq, createdAtMs } = numbers
    await Promise.all(
      events.map((event, index) =>
        insertDelivery(tx, event, { seq: lastSeq - count + 1 + index, createdAtMs }),
      ),
    )
  }
  if (accounts.size > 0) tx.notify('deliveries')
}

function insertDelivery(
  tx: Tx,
  { accountId, runId, url, type, webhookId, body }: NewDelivery,
  { seq, createdAtMs }: { seq: number; createdAtMs: number },
) {
  return tx.write(
    `insert into deliveries (id, account_id, seq, webhook_id, run_id, url, ${queueColumn}, type, payload,
       status, attempts, epoch, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'PENDING', 0, 0, $10)`,
    [
      sequencedUuid(createdAtMs, seq),
      accountId,
      seq,
      webhookId,
      runId,
      url,
      queueOf(accountId, url),
      type,
      body,
      createdAtMs,
    ],
  )
}

// An address that cannot be parsed must not keep a run from ending: its delivery fails instead.
const queueOf = (accountId: string, url: string) => `${accountId} ${URL.parse(url)?.host ?? ''}`

export type DeliveryFilter = { status?: DeliveryStatus | undefined; runId?: string | undefined }

/** Deliveries with a number below `before`. `next` is where to continue, even if none matched. */
export async function listDeliveries(
  db: Reader,
  accountId: string,
  { status, runId }: DeliveryFilter,
  from: { before: number | null; limit: number },
): Promise<{ rows: DeliveryRow[]; next: number | null }> {
  if (runId !== undefined) return deliveriesOfRun(db, accountId, { runId, status }, from)
  const { removedSeq, lastSeq } = await listBounds(db, accountId, 'deliveries')
  return readWindows({ oldest: removedSeq + 1, newest: lastSeq }, from, (window, wanted) =>
    shown.query(
      db,
      `select ${shown.columns} from deliveries where account_id = $1 and seq between $2 and $3
         ${status === undefined ? '' : 'and status = $4'}
       order by seq desc limit ${wanted}`,
      [accountId, window.oldest, window.newest, ...(status === undefined ? [] : [status])],
    ),
  )
}

/** A run has one delivery per event, and another for each time someone requested a repeat. */
async function deliveriesOfRun(
  db: Reader,
  accountId: string,
  { runId, status }: DeliveryFilter & { runId: string },
  { before, limit }: { before: number | null; limit: number },
) {
  const rows = await shown.query(
    db,
    `select ${shown.columns} from deliveries where run_id = $2 and account_id = $1 and seq < $3
       ${status === undefined ? '' : 'and status = $4'}
     order by seq desc limit ${limit + 1}`,
    [
      accountId,
      runId,
      before ?? Number.MAX_SAFE_INTEGER,
      ...(status === undefined ? [] : [status]),
    ],
  )
  const next = rows.length > limit ? (rows[limit - 1]?.seq ?? null) : null
  return { rows: rows.slice(0, limit), next }
}

export async function findDelivery(db: Reader, accountId: string, id: string) {
  const [row] = await whole.query(
    db,
    `select ${whole.columns} from deliveries where account_id = $1 and id = $2`,
    [accountId, id],
  )
  return row
}

/**
 * Sends an event again. If a delivery of it is still open, that one is tried now; otherwise a new
 * one begins, with the same message identifier, because receivers recognise repeats by it.
 */
export function redeliver(
  db: Db,
  accountId: string,
  id: string,
  nowMs: number,
): Promise<DeliveryRow | undefined> {
  return db.transaction(async (tx) => {
    // Two callers at once must not both find the event without an open delivery.
    await lockList(tx, accountId, 'deliveries')
    const [known] = await tx.query<{ run_id: string; webhook_id: string }>(
      `select run_id, webhook_id from deliveries where account_id = $1 and id = $2`,
      [accountId, id],
    )
    if (!known) return undefined
    const [open] = await shown.write(
      tx,
      `update deliveries set retry_at = null
       where run_id = $1 and webhook_id = $2 and completed_at is null
       returning ${shown.columns}`,
      [known.run_id, known.webhook_id],
    )
    tx.notify('deliveries')
    return open ?? copyDelivery(tx, accountId, id, nowMs)
  })
}

async function copyDelivery(tx: Tx, accountId: string, id: string, nowMs: number) {
  const { lastSeq: seq, createdAtMs } = await takeNumbers(tx, accountId, 'deliveries', { nowMs })
  const [copy] = await shown.write(
    tx,
    `insert into deliveries (id, account_id, seq, webhook_id, run_id, url, ${queueColumn}, type, payload,
       status, attempts, epoch, created_at)
     select $1, account_id, $2, webhook_id, run_id, url, ${queueColumn}, type, payload,
       'PENDING', 0, 0, $3
     from deliveries where id = $4
     returning ${shown.columns}`,
    [sequencedUuid(createdAtMs, seq), seq, createdAtMs, id],
  )
  return copy
}

/** What a run's record says about its callback. */
export type Callback = {
  url: string
  status: DeliveryStatus
  attempts: number
  lastStatusCode: number | null
}

/** By run, of the event of its end. Of several deliveries the newest counts. */
export async function callbacksOf(
  db: Reader,
  runIds: readonly string[],
): Promise<Map<string, Callback>> {
  if (runIds.length === 0) return new Map()
  const rows = await db.query<DeliveryRow>(
    `select run_id, url, status, attempts, last_status_code from deliveries
     where run_id in (${runIds.map((_, index) => `$${index + 1}`).join(', ')})
       and type <> '${waitingType}' order by seq`,
    runIds,
  )
  return new Map(
    rows.map((row) => [
      row.run_id,
      {
        url: withoutQuery(row.url),
        status: row.status,
        attempts: row.attempts,
        lastStatusCode: row.last_status_code,
      },
    ]),
  )
}

/**
 * Deletes ended deliveries from the old end of each account's list, so that the remaining numbers
 * have no gaps. Returns how many were deleted.
 */
export async function deleteOldDeliveries(
  db: Db,
  beforeMs: number,
  limit: number,
): Promise<number> {
  return db.transaction(async (tx) => {
    const ids = await deleteOldEnds(tx, 'deliveries', { beforeMs, limit })
    await tx.write(
      `delete from delivery_tries where delivery_id ${tx.dialect.inList('$1', 'uuid')}`,
      [tx.dialect.list(ids)],
    )
    return ids.length
  })
}
