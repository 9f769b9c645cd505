// The database that all simulated processes share: the server's own schema and statements, on
// SQLite in memory. Transactions are executed one at a time; what happens inside two at once is left
// to the tests on PostgreSQL.
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { Db, Param, Statement, Tx } from '#store/db.ts'
import type { Dialect } from '#store/dialect.ts'
import { migrate } from '#store/migrate.ts'
import { connectionTo, type SqliteConnection } from '#store/sqlite/connection.ts'
import { sqliteDialect } from '#store/sqlite/dialect.ts'
import { openTxScope } from '#store/tx-scope.ts'
import { changing, createHistory, noteChanges, timeNow } from './row-history.ts'
import type { Actor } from './scheduler.ts'

export const dialect: Dialect = { ...sqliteDialect, nowMs: timeNow }
const migrations = fileURLToPath(new URL('../../src/store/migrations', import.meta.url))

/** When time alone gives a worker something to do. */
const dueRows = `
  select wake_at as at from runs where wake_at is not null
  union select run_at from runs where owner is null and completed_at is null and run_at is not null
  union select run_at from tasks where owner is null and completed_at is null and run_at is not null
  union select retry_at from deliveries where retry_at is not null
  union select due_at from triggers where due_at is not null
  union select try_at from firings where status = 'PENDING' and try_at is not null
  order by 1`

export type SharedDatabase = {
  connection: SqliteConnection
  /** Who executes a statement, for the triggers that watch rows. */
  actor: Actor | null
  nowMs: number
  /** Changes with the rows of work; leases are renewed all the time. */
  version(): number
  /** When the next row of work becomes due, after `nowMs`. */
  nextDueMs(nowMs: number): number
  /** Called after each transaction or single write. */
  onWritten(isKept: boolean): void
  /** Gets each statement. */
  trace: ((line: string) => void) | undefined
  define(name: string, call: (...args: unknown[]) => unknown): void
  read<Row>(sql: string, params: readonly Param[]): Row[]
  /** There is nothing that it could find or change. */
  isKnownEmpty(sql: string, params: readonly Param[]): boolean
  reset(): void
}

/** `db` has no network: it is for what surrounds a schedule. */
export async function openSharedDatabase(): Promise<{ shared: SharedDatabase; db: Db }> {
  const database = new DatabaseSync(':memory:')
  const history = createHistory()
  noteChanges(database, history)
  const plain = connectionTo(database, ['foreign_keys = on', 'temp_store = memory'])
  const connection: SqliteConnection = {
    ...plain,
    all(sql, params) {
      shared.trace?.(`${sql} ${params ?? ''}`)
      return plain.all(history.known(sql).text, params)
    },
    run(statement) {
      if (statement.rows.length === 0) return []
      shared.trace?.(`${statement.sql} ${statement.rows}`)
      const known = history.known(statement.sql)
      if (!statement.isGuard && history.isIdle(known)) return []
      return plain.run({ ...statement, sql: known.text })
    },
  }
  const define = (name: string, call: (...args: unknown[]) => unknown) =>
    database.function(name, { varargs: true }, call as (...args: unknown[]) => null)
  const shared: SharedDatabase = {
    ...{ connection, actor: null, nowMs: 0, trace: undefined, onWritten() {}, define },
    version: history.version,
    nextDueMs: (nowMs) => dueTimes().find((atMs) => atMs > nowMs) ?? Number.POSITIVE_INFINITY,
    isKnownEmpty: (sql, params) => history.isKnownEmpty(history.known(sql), params),
    read(sql, params) {
      const statement = history.known(sql)
      if (history.isKnownEmpty(statement, params)) return []
      const rows = connection.all<never>(sql, params)
      if (rows.length === 0) history.noteEmpty(statement, params)
      return rows
    },
    reset() {
      connection.all('begin')
      for (const table of changing) {
        if (history.isFilled(table)) connection.all(`delete from ${table}`)
      }
      connection.all('commit')
      history.forget()
    },
  }
  let due = { version: -1, times: [] as readonly number[] }
  function dueTimes(): readonly number[] {
    const version = history.version()
    if (due.version !== version) {
      const rows = plain.all<{ at: number }>(dueRows)
      due = { version, times: rows.map(({ at }) => at) }
    }
    return due.times
  }
  define('simulated_now', () => shared.nowMs)
  // What SQLite calls min and max, and locks that transactions one at a time do not need.
  define('least', (...values) => Math.min(...(values as number[])))
  define('greatest', (...values) => Math.max(...(values as number[])))
  define('hashtextextended', () => 0)
  define('pg_advisory_xact_lock', () => 1)
  define('pg_try_advisory_xact_lock', () => 1)
  const db = directDb(shared)
  await migrate(db, migrations)
  return { shared, db }
}

function directDb(shared: SharedDatabase): Db {
  const { connection } = shared
  const none = async () => {}
  return {
    ...{ kind: 'postgres', isShared: true, keepsOrder: false, dialect },
    synced: () => undefined,
    query: async (sql, params) => connection.all(sql, params),
    write: async (sql, params) => connection.all(sql, params),
    transaction: (work) => executeTransaction(shared, work).then(({ value }) => value),
    writeAll: async (statements) => executeAll(shared, statements()) as never,
    listen: async () => none,
    close: none,
    [Symbol.asyncDispose]: none,
  }
}

export function executeAll(shared: SharedDatabase, statements: readonly Statement[]): unknown[][] {
  const { connection } = shared
  const [only, ...others] = statements
  const isOne = others.length === 0 && only?.rows.length === 1
  if (!isOne) connection.all('begin')
  try {
    const rows = statements.map((statement) => connection.run(statement))
    if (!isOne) connection.all('commit')
    shared.onWritten(true)
    return rows
  } catch (error) {
    if (!isOne) connection.all('rollback')
    shared.onWritten(false)
    throw error
  }
}

export async function executeTransaction<T>(
  shared: SharedDatabase,
  work: (tx: Tx) => Promise<T>,
  end: 'commit' | 'rollback' = 'commit',
) {
  const { connection } = shared
  connection.all('begin')
  const scope = openTxScope(dialect, async (statement) => connection.run(statement))
  try {
    const value = await work(scope.tx)
    const failure = scope.end()
    if (failure) throw failure.error
    connection.all(end)
    shared.onWritten(end === 'commit')
    return { value, channels: scope.channels }
  } catch (error) {
    scope.end()
    if (connection.inTransaction()) connection.all('rollback')
    shared.onWritten(false)
    throw error
  }
}
