import type { Snapshot } from '../table-rows.ts'
import { connectSqlite } from './connection.ts'
import { sqliteDialect } from './dialect.ts'

/**
 * A snapshot of a file that another process may be writing to. In WAL mode a reader blocks no
 * writer; the log merely keeps growing until the snapshot is closed.
 */
export function openSqliteSnapshot(path: string): Snapshot {
  const connection = connectSqlite(path, { readOnly: true, pragmas: ['busy_timeout = 5000'] })
  try {
    connection.all('begin')
    // The snapshot is of the moment of the first read.
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
