// Promises: writes of one event-loop tick share a durable commit, and callers are answered after
// it; a write that fails does not affect the others; only one process uses the file. Never shows
// a half-done transaction to `query`: during one, reads use a connection of their own.
import { closeSync, fdatasync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { delay } from '#core/clock.ts'
import { type Db, type Param, StoreUnavailable } from '../db.ts'
import { connectSqlite, isLocked, type SqliteConnection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { createSqliteWriter, type Job, lockTries } from './writer.ts'

// While the file is being opened, the event loop may wait for a lock: it has nothing else to do.
const shared = ['busy_timeout = 5000', 'temp_store = memory', 'cache_size = -32768']
/** Set once the file is open: the event loop must not wait for another process's lock then. */
const neverWait = 'pragma busy_timeout = 0'
const readable = [...shared, 'mmap_size = 268435456']
const durable = [
  ...shared,
  'journal_mode = wal',
  // The writer syncs the log itself, off the event loop, before it answers anyone.
  'synchronous = normal',
  'foreign_keys = on',
  // A larger log means fewer checkpoints; it shrinks back after a burst.
  'wal_autocheckpoint = 4000',
  'journal_size_limit = 67108864',
]

/** The server has a few hundred statements; those built for lists of any length are unlimited. */
const maxSafe = 1_000

export type SqliteOptions = {
  path: string
  /** Called once, when nothing can be written until the process restarts. */
  onBroken?(error: unknown): void
  /** Forces a file to disk. */
  sync?(file: number): Promise<void>
}

export function openSqlite({ path, onBroken, sync = syncFile }: SqliteOptions): Db {
  const opened = openFile(path)
  const { connection, log } = opened
  const listeners = new Map<string, Set<() => void>>()
  // SQLite holds its locks on other files, so closing our own descriptor of the log drops none.
  const writer = createSqliteWriter(connection, { sync: () => sync(log), onBroken }, (channel) => {
    for (const onWake of listeners.get(channel) ?? []) queueMicrotask(onWake)
  })
  const read = createReader(opened, writer)
  // Only the caller knows the type of what its statements return.
  const add = <T>(job: Job) => writer.add(job) as Promise<T>

  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= writer.stop().then(() => opened.dispose())
    return closing
  }
  return {
    kind: 'sqlite',
    isShared: false,
    keepsOrder: true,
    dialect: sqliteDialect,
    synced: writer.synced,
    async query<Row>(sql: string, params?: readonly Param[]) {
      for (let tries = 0; ; tries++) {
        if (closing) throw new StoreUnavailable('the database file is closed')
        try {
          return read<Row>(sql, params)
        } catch (error) {
          if (!isLocked(error) || tries === lockTries.max) throw error
        }
        await delay(lockTries.everyMs)
      }
    },
    async write<Row>(sql: string, params: readonly Param[] = []) {
      const statements = () => [{ sql, rows: [params] }]
      const [rows] = await add<[Row[]]>({ kind: 'statements', statements })
      return rows
    },
    transaction: (work, { onFailed } = {}) => add({ kind: 'transaction', work, onFailed }),
    writeAll: (statements, options) => add({ kind: 'statements', statements, ...options }),
    async listen(channel, onWake) {
      const own = () => onWake()
      const peers = listeners.get(channel) ?? new Set()
      listeners.set(channel, peers.add(own))
      return async () => {
        peers.delete(own)
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const syncFile = promisify(fdatasync)

/** Locks the file for this process and opens both connections. On failure nothing stays open. */
function openFile(path: string) {
  mkdirSync(dirname(path), { recursive: true })
  using opening = new DisposableStack()
  opening.use(takeLock(path))
  // Created here so that only its owner can read it; SQLite gives its side files the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const connection = opening.use(connectSqlite(path, { readOnly: false, pragmas: durable }))
  const reader = opening.use(connectSqlite(path, { readOnly: true, pragmas: readable }))
  // Reading once reveals a damaged file, and makes sure that the log exists.
  reader.all('select count(*) from sqlite_schema')
  for (const one of [connection, reader]) one.all(neverWait)
  const log = opening.adopt(openSync(`${path}-wal`, 'r+'), closeSync)
  const opened = opening.move()
  return { connection, reader, log, dispose: () => opened.dispose() }
}

/**
 * After every commit the cache of the reading connection is stale, while that of the writing one is
 * warm. But the writing connection could change data, so it gets only statements that the reading
 * one, which is read-only, has executed before.
 */
function createReader(
  { connection, reader }: ReturnType<typeof openFile>,
  writer: Pick<ReturnType<typeof createSqliteWriter>, 'failure' | 'isWriting'>,
) {
  const safe = new Set<string>()
  return <Row>(sql: string, params?: readonly Param[]): Row[] => {
    // Reads fail too once writing has failed, so that the readiness check notices it.
    const failure = writer.failure()
    if (failure) throw failure
    if (safe.has(sql) && !writer.isWriting()) return connection.all<Row>(sql, params)
    const rows = reader.all<Row>(sql, params)
    if (safe.size < maxSafe) safe.add(sql)
    return rows
  }
}

/** Whether there is no database here yet, so that opening would create one. */
export const isMissing = (path: string): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0

/** Held while this connection is open. Locks end with their process: a kill leaves none behind. */
function takeLock(path: string): SqliteConnection {
  using opening = new DisposableStack()
  try {
    const pragmas = ['busy_timeout = 0', 'locking_mode = exclusive', 'journal_mode = memory']
    const lock = opening.use(connectSqlite(`${path}.lock`, { readOnly: false, pragmas }))
    lock.all('begin exclusive')
    opening.move()
    return lock
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    throw new StoreUnavailable(
      `another process uses ${path}. Stop it first, or use PostgreSQL for several processes`,
      error,
    )
  }
}
