import type { Snapshot } from '../table-rows.ts'
import { connectSqlite } from './connection.ts'
import { sqliteDialect } from './dialect.ts'

/**
 * One moment of a file that another process may be writing to. In WAL mode a reader stops no
 * writer; the log only grows until this one is done.
 */
export function openSqliteSnapshot(path: string): Snapshot {
  const connection = connectSqlite(path, { readOnly: true, pragmas: ['busy_timeout = 5000'] })
  try {
    connection.all('begin')
    // The moment is that of the first read.
    connection.all('select count(*) from sqlite_schema')
  } catch (error) {
    connection[Symbol.dispose]()
    throw error
  }
  return {
    dialect: sqliteDialect,
    query: async (sql, params) => connection.all(sql, params),
    [Symbol.asyncDispose]: async () => connection[Symbol.dispose](),
  }
}
