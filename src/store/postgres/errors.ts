import postgres from 'postgres'
import { StoreUnavailable, UniqueViolation } from '../db.ts'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
// Connections, resources, shutting down or starting, a statement that took too long, credentials
// that no longer fit.
const unavailable = /^(08(?!P01)|28|3D000|53|57|25P03)/
/** Of a server that became a standby after a failover. */
const readOnly = '25006'
const conflict = /^(40001|40P01)$/
const lost = /^(CONNECT|E[A-Z]+$)/
const badCertificate = /^(ERR_(TLS|SSL|OSSL)_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/

/** Whether the transaction may succeed when it is run again from its start. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return false
  // A statement prepared before a migration; it is prepared anew next time.
  return conflict.test(error.code) || error.routine === 'RevalidateCachedQuery'
}

/** PgBouncer sends only the word that a server would translate. */
const isFatal = (error: postgres.PostgresError) =>
  (error.severity ?? error.severity_local) === 'FATAL'

/** Whether nothing more can be said over this connection, or only to a server that is read-only. */
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
  // It quotes stored values, and errors end up in logs.
  Reflect.deleteProperty(error, 'detail')
  if (error.code === '23505') return new UniqueViolation(error.constraint_name ?? '', error)
  if (isLost || unavailable.test(error.code)) return new StoreUnavailable(error.message, error)
  return error
}
