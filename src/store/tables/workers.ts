// Leases of worker processes: one row each, renewed by a heartbeat (see engine/work/lease-keeper.ts).
import { LeaseLost } from '#core/interruptions.ts'
import { type Db, GuardFailed, type OnFailed, type RowsOf, type Statement, type Tx } from '../db.ts'
import type { Dialect } from '../dialect.ts'

/** Leases are timed by the database's clock. */
const now = ({ dialect }: Pick<Db, 'dialect'>) => dialect.nowMs

/** `serve`: it makes calls, whose reservations end with its lease, but claims no work. */
export type ProcessRole = 'work' | 'serve'

export const registerWorker = (
  db: Db,
  workerId: string,
  leaseMs: number,
  role: ProcessRole = 'work',
) =>
  db.write(
    `insert into workers (id, lease_until, started_at, role)
     values ($1, ${now(db)} + $2, ${now(db)}, $3)`,
    [workerId, leaseMs, role],
  )

/**
 * False once the lease is lost: the worker must drop what it owns. The row is the lease: as long as
 * nobody has deleted it, a worker that was delayed continues, and so do its paid calls.
 */
export async function renewLease(db: Db, workerId: string, leaseMs: number): Promise<boolean> {
  const rows = await db.write<{ id: string }>(
    `update workers set lease_until = ${now(db)} + $2 where id = $1 returning id`,
    [workerId, leaseMs],
  )
  return rows.length === 1
}

export const removeWorker = (tx: Tx, workerId: string) =>
  tx.write(`delete from workers where id = $1`, [workerId])

/**
 * Removes other workers whose lease has expired; their rows stay locked until the transaction ends.
 * Never this one: if it was delayed since it renewed its lease, it would release its own work.
 */
export const takeExpiredWorkers = (tx: Tx, db: Db, workerId: string) =>
  tx
    .write<{ id: string }>(
      `delete from workers where id in
         (select id from workers where lease_until < (select ${now(db)}) and id <> $1
           limit 100 ${db.dialect.skipLocked})
       returning id`,
      [workerId],
    )
    .then((rows) => rows.map((row) => row.id))

/**
 * Fails unless this worker still has its lease, and keeps it until the transaction ends: whoever
 * takes over must first remove this row.
 */
export const leaseGuard = ({ keyShare }: Dialect, workerId: string): Statement => ({
  sql: `select id from workers where id = $1 ${keyShare}`,
  rows: [[workerId]],
  isGuard: true,
})

const asLeaseLost = (workerId: string) => (error: unknown) => {
  throw error instanceof GuardFailed ? new LeaseLost(workerId) : error
}

export const holdLease = (tx: Tx, workerId: string): Promise<unknown> =>
  tx.run(leaseGuard(tx.dialect, workerId)).catch(asLeaseLost(workerId))

/** Writes everything or, without the lease, nothing. Resolves with the rows of each statement. */
export const writeUnderLease = <const Statements extends readonly Statement[]>(
  db: Db,
  workerId: string,
  statements: () => Statements,
  options?: OnFailed,
): Promise<RowsOf<Statements>> =>
  db
    .writeAll(() => [leaseGuard(db.dialect, workerId), ...statements()], options)
    .then(([, ...rows]) => rows as unknown as RowsOf<Statements>)
    .catch(asLeaseLost(workerId))
