import postgres from 'postgres'
import { StoreUnavailable, UniqueViolation } from '../db.ts'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
// Connection failures, lack of resources, shutdown and startup, timeouts, a missing database, and
// credentials that are no longer accepted.
const unavailable = /^(08(?!P01)|28|3D000|53|57|25P03)/
/** Sent by a server that a failover has turned into a standby. */
const readOnly = '25006'
const conflict = /^(40001|40P01)$/
const lost = /^(CONNECT|E[A-Z]+$)/
const badCertificate = /^(ERR_(TLS|SSL|OSSL)_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/

/** Whether the transaction may succeed when it is run again from its start. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return false
  // The statement was prepared before a migration; it is prepared again next time.
  return conflict.test(error.code) || error.routine === 'RevalidateCachedQuery'
}

/** PgBouncer sends only `severity_local`, the field that a server would translate. */
const isFatal = (error: postgres.PostgresError) =>
  (error.severity ?? error.severity_local) === 'FATAL'

/** Whether the connection is of no more use: broken, or to a server that has become read-only. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true
  if (error instanceof postgres.PostgresError) return isFatal(error) || error.code === readOnly
  return lost.test(codeOf(error)) || badCertificate.test(codeOf(error))
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  const isLost = isConnectionLost(error)
  if (!(error instanceof postgres.PostgresError)) {
    if (badCertificate.test(codeOf(error))) return new StoreUnavailable(String(error), error)
    return isLost ? new StoreUnavailable('the connection was lost', error) : error
  }
  // The detail quotes stored values, and errors end up in logs.
  Reflect.deleteProperty(error, 'detail')
  if (error.code === '23505') return new UniqueViolation(error.constraint_name ?? '', error)
  if (isLost || unavailable.test(error.code)) return new StoreUnavailable(error.message, error)
  return error
}
