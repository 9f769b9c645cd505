import { toRfc3339 } from '#core/clock.ts'
import { hideQuery } from '#core/run-webhook.ts'
import { type Static, Type } from '#core/schema.ts'
import type { DeliveryTry as TryRow } from '#store/tables/delivery-tries.ts'
import { NamedRecord, Nullable, Timestamp } from '../../schemas.ts'

/** One attempt at a delivery. */
export const DeliveryTry = NamedRecord('DeliveryTry', {
  at: Timestamp,
  statusCode: Nullable(Type.Integer({ description: 'Null if there was no answer.' })),
  ms: Type.Integer({ minimum: 0, description: 'How long it took.' }),
  error: Nullable(Type.String({ description: 'Why the attempt failed.' })),
  body: Nullable(Type.String({ description: 'The first 1,024 bytes of the answer, as text.' })),
})

/** Receivers that repeat the address must not reveal its query. */
export const toTry = (row: TryRow, url: string): Static<typeof DeliveryTry> => ({
  at: toRfc3339(row.at),
  statusCode: row.status_code,
  ms: Math.max(0, row.duration_ms),
  error: row.error && hideQuery(row.error, url),
  body: row.body && hideQuery(row.body, url),
})
