import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { createBoundedMap } from '#core/bounded-map.ts'
import {
  GuardFailed,
  type Param,
  type Statement,
  StoreUnavailable,
  UniqueViolation,
} from '../db.ts'

// The server has a few hundred statements. Those built for lists of any length may be long.
const maxStatements = 500
const maxStatementBytes = 4 * 1024 * 1024

type Bindable = Param | bigint

type Prepared = { run(params: readonly Param[]): unknown[][]; toRow(values: unknown[]): object }

/** One connection that takes $1 parameters and caches its prepared statements. */
export type SqliteConnection = Disposable & {
  all<Row>(sql: string, params?: readonly Param[]): Row[]
  /** Runs once per row of parameters; throws GuardFailed if it is a guard and returns nothing. */
  run<Row>(statement: Statement<Row>): Row[]
  /** Also false after an error so severe that SQLite itself rolled everything back. */
  inTransaction(): boolean
}

export const connectSqlite = (
  path: string,
  { readOnly, pragmas }: { readOnly: boolean; pragmas: readonly string[] },
): SqliteConnection => connectionTo(new DatabaseSync(path, { readOnly }), pragmas)

/** Closes the database if a pragma fails. */
export function connectionTo(database: DatabaseSync, pragmas: readonly string[]): SqliteConnection {
  const known = createBoundedMap<Prepared>({
    maxEntries: maxStatements,
    maxBytes: maxStatementBytes,
    // The text, and at least as much again for the compiled statement.
    bytesOf: (_, sql) => 4 * sql.length,
  })

  function prepared(sql: string): Prepared {
    const found = known.get(sql)
    if (found) return found
    const fresh = prepare(database, sql)
    known.set(sql, fresh)
    return fresh
  }

  const connection: SqliteConnection = {
    all<Row>(sql: string, params: readonly Param[] = []) {
      const { run, toRow } = prepared(sql)
      return run(params).map(toRow) as Row[]
    },
    run<Row>({ sql, rows, isGuard }: Statement<Row>) {
      const { run, toRow } = prepared(sql)
      const values = rows.length === 1 && rows[0] ? run(rows[0]) : rows.flatMap(run)
      if (isGuard && values.length === 0) throw new GuardFailed()
      return values.map(toRow) as Row[]
    },
    inTransaction: () => database.isTransaction,
    [Symbol.dispose]: () => database.close(),
  }
  try {
    for (const pragma of pragmas) connection.all(`pragma ${pragma}`)
    return connection
  } catch (error) {
    database.close()
    throw error
  }
}

function prepare(database: DatabaseSync, sql: string): Prepared {
  try {
    const { text, paramCount } = toNumberedParams(sql)
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    // Reused by every run: a new array for each row would make up most of the garbage.
    const bound: Bindable[] = new Array(paramCount).fill(null)
    return {
      run: (params) => runStatement(statement, bound, params),
      toRow: rowMaker(statement.columns().map(({ name }) => name)),
    }
  } catch (error) {
    throw asStoreError(error)
  }
}

function runStatement(
  statement: StatementSync,
  bound: Bindable[],
  params: readonly Param[],
): unknown[][] {
  try {
    // SQLite would treat a missing parameter as null.
    if (params.length !== bound.length) {
      throw new TypeError(`${params.length} parameters for a statement with ${bound.length}`)
    }
    for (let i = 0; i < bound.length; i++) bound[i] = bindable(params[i] as Param)
    return statement.all(...bound) as unknown as unknown[][]
  } catch (error) {
    throw asStoreError(error)
  }
}

/**
 * The driver's own objects have no prototype and no fast properties. Copying a template row and
 * filling it in takes a third of the time.
 */
function rowMaker(names: readonly string[]): (values: unknown[]) => object {
  const template: Record<string, unknown> = JSON.parse(
    `{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`,
  )
  return (values) => {
    const row = { ...template }
    for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i]
    return row
  }
}

/**
 * SQLite plans for the value of a bound limit, and so compiles a statement again each time that one
 * is bound to it. Statements here are written for any limit: it gets an expression instead, which
 * is not looked into. Claiming a run takes 120 µs instead of 280.
 */
function toNumberedParams(sql: string): { text: string; paramCount: number } {
  let paramCount = 0
  const text = sql.replace(
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|(\blimit\s+)?\$(\d+)/gi,
    (token, limit?: string, number?: string) => {
      if (number === undefined) return token
      paramCount = Math.max(paramCount, Number(number))
      return limit ? `${limit}0 + ?${number}` : `?${number}`
    },
  )
  return { text, paramCount }
}

/** node:sqlite binds numbers as reals, so that 5 would become 5.0 in text or in a division. */
function bindable(param: Param): Bindable {
  if (!Number.isInteger(param)) return param
  if (!Number.isSafeInteger(param)) throw new RangeError(`integer beyond 2^53: ${param}`)
  return BigInt(param as number)
}

const busyCode = 5

/** Another process holds a lock on the file. */
export function isLocked(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : undefined
  const code = (cause as { errcode?: unknown } | undefined)?.errcode
  return typeof code === 'number' && (code & 0xff) === busyCode
}

const uniqueCodes = new Set([1555, 2067, 2579])
// BUSY, NOMEM, IOERR, CORRUPT, FULL, CANTOPEN: https://sqlite.org/rescode.html
const unavailableCodes = new Set([5, 7, 10, 11, 13, 14])

function asStoreError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') {
    return error
  }
  if (uniqueCodes.has(error.errcode)) {
    return new UniqueViolation(error.message.replace(/^.*failed: /, ''), error)
  }
  // The low byte is the primary code.
  if (unavailableCodes.has(error.errcode & 0xff)) return new StoreUnavailable(error.message, error)
  return error
}
