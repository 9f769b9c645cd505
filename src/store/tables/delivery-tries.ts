import type { Reader, Statement } from '../db.ts'

/** One attempt at a delivery. */
export type DeliveryTry = {
  at: number
  duration_ms: number
  status_code: number | null
  error: string | null
  /** The beginning of what was answered. */
  body: string | null
}

export const insertTry = (deliveryId: string, number: number, one: DeliveryTry): Statement => ({
  sql: `insert into delivery_tries (delivery_id, number, at, duration_ms, status_code, error, body)
     values ($1, $2, $3, $4, $5, $6, $7)`,
  rows: [[deliveryId, number, one.at, one.duration_ms, one.status_code, one.error, one.body]],
})

/** Of a delivery that the caller has looked up for its account; oldest first. */
export const triesOf = (db: Reader, deliveryId: string) =>
  db.query<DeliveryTry>(
    `select at, duration_ms, status_code, error, body from delivery_tries
     where delivery_id = $1 order by number`,
    [deliveryId],
  )
