import type { Snapshot } from '../table-rows.ts'
import { connectSqlite } from './connection.ts'
import { sqliteDialect } from './dialect.ts'

/** Reads a file that another process may be writing to. Each query sees the newest state. */
export function openSqliteReader(path: string): Snapshot {
  const connection = connectSqlite(path, { readOnly: true, pragmas: ['busy_timeout = 5000'] })
  return {
    dialect: sqliteDialect,
    query: async (sql, params) => connection.all(sql, params),
    [Symbol.asyncDispose]: async () => connection[Symbol.dispose](),
  }
}

/** The same as of one moment. In WAL mode it blocks no writer; the log merely keeps growing. */
export async function openSqliteSnapshot(path: string): Promise<Snapshot> {
  const reader = openSqliteReader(path)
  try {
    await reader.query('begin')
    // The snapshot is of the moment of the first read.
    await reader.query('select count(*) from sqlite_schema')
    return reader
  } catch (error) {
    await reader[Symbol.asyncDispose]()
    throw error
  }
}
