import postgres from 'postgres'
import { StoreUnavailable, UniqueViolation } from '../db.ts'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
// Connections, resources, shutting down or starting, a statement that took too long, a server
// that became read-only after a failover, credentials that no longer fit.
const unavailable = /^(08(?!P01)|28|3D000|53|57|25006|25P03)/
const conflict = /^(40001|40P01)$/
const lost = /^(CONNECT|E[A-Z]+$)/

/** Whether the transaction may succeed when it is run again from its start. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return false
  // A statement prepared before a migration; it is prepared anew next time.
  return conflict.test(error.code) || error.routine === 'RevalidateCachedQuery'
}

/** Whether nothing more can be said over this connection. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true
  if (error instanceof postgres.PostgresError || !(error instanceof Error)) return false
  return 'code' in error && lost.test(String(error.code))
}

export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  if (isConnectionLost(error)) return new StoreUnavailable('the connection was lost', error)
  if (!(error instanceof postgres.PostgresError)) return error
  // It quotes stored values, and errors end up in logs.
  Reflect.deleteProperty(error, 'detail')
  if (error.code === '23505') return new UniqueViolation(error.constraint_name ?? '', error)
  if (unavailable.test(error.code)) return new StoreUnavailable(error.message, error)
  return error
}
