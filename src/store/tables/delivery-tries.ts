import type { Reader, Statement } from '../db.ts'
import { bigint, integer, orNull, type Row, table, text, time } from '../table.ts'

const tries = table({
  at: time,
  duration_ms: bigint,
  status_code: orNull(integer),
  error: orNull(text()),
  /** The beginning of the receiver's answer. */
  body: orNull(text()),
}).all

/** One attempt at a delivery. */
export type DeliveryTry = Row<typeof tries>

export const insertTry = (deliveryId: string, number: number, one: DeliveryTry): Statement => ({
  sql: `insert into delivery_tries (delivery_id, number, at, duration_ms, status_code, error, body)
     values ($1, $2, $3, $4, $5, $6, $7)`,
  rows: [[deliveryId, number, one.at, one.duration_ms, one.status_code, one.error, one.body]],
})

/** Oldest first. The caller must have looked up the delivery for its account. */
export const triesOf = (db: Reader, deliveryId: string) =>
  tries.query(
    db,
    `select ${tries.columns} from delivery_tries where delivery_id = $1 order by number`,
    [deliveryId],
  )
