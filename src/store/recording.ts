import type { Db, Param, TransactionOptions, Tx } from './db.ts'
import { type AuditEntry, insertAuditEntry } from './tables/audit-entries.ts'

/**
 * Wraps the database for one change, so that an audit log entry is committed together with it.
 * `entryOf` gets what the transaction returned, or the rows of a single statement, and returns
 * null if nothing was changed.
 */
export function recording(db: Db, entryOf: (made: unknown) => AuditEntry | null): Db {
  let isRecorded = false

  async function transaction<T>(
    work: (tx: Tx) => Promise<T>,
    options: TransactionOptions<T> = {},
  ): Promise<T> {
    const { isStored, ...others } = options
    const { made, hasEntry } = await db.transaction<{ made: T; hasEntry: boolean }>(
      async (tx) => {
        const result = await work(tx)
        const entry = isRecorded ? null : entryOf(result)
        if (entry) await insertAuditEntry(tx, entry)
        return { made: result, hasEntry: entry !== null }
      },
      {
        ...others,
        ...(isStored ? { isStored: (reader, { made }) => isStored(reader, made) } : {}),
      },
    )
    // Set only after the commit, because a transaction may be run again from the start.
    isRecorded ||= hasEntry
    return made
  }

  return {
    ...db,
    transaction,
    write: <Row>(sql: string, params?: readonly Param[]) =>
      transaction((tx) => tx.write<Row>(sql, params)),
  }
}

/** Store functions that changed nothing return null, false, no rows, or a reason as text. */
export const wasChanged = (made: unknown): boolean =>
  made !== null &&
  made !== false &&
  typeof made !== 'string' &&
  !(Array.isArray(made) && made.length === 0)
