// Promises: everything asked for in one event-loop tick shares one durable commit, and each
// caller is answered after it; a failing neighbour harms only itself; one process owns the file.
// Never shows a half-done transaction to `query`: reads have their own connection.
import { closeSync, fdatasync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { delay } from '#core/clock.ts'
import { type Db, type Param, StoreUnavailable } from '../db.ts'
import { connectSqlite, isLocked, type SqliteConnection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { createSqliteWriter, type Job, lockTries } from './writer.ts'

// While it is opened nobody else waits.
const shared = ['busy_timeout = 5000', 'temp_store = memory', 'cache_size = -32768']
/** From then on SQLite would make the event loop wait for a lock of another process. */
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

/** The server has a few hundred statements; those made for lists of any length have no end. */
const maxSafe = 1_000

export function openSqlite({ path }: { path: string }): Db {
  const opened = openFile(path)
  const { connection, log } = opened
  const listeners = new Map<string, Set<() => void>>()
  // SQLite keeps its locks on other files: a descriptor of our own on the log disturbs none.
  const writer = createSqliteWriter(
    connection,
    () => syncFile(log),
    (channel) => {
      for (const onWake of listeners.get(channel) ?? []) queueMicrotask(onWake)
    },
  )
  const read = createReader(opened, writer)
  // What is asked for comes from outside: only its caller knows the type of the answer.
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
    async query<Row>(sql: string, params?: readonly Param[]) {
      for (let tries = 0; ; tries++) {
        if (closing) throw new StoreUnavailable('it is closed')
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
    transaction: (work) => add({ kind: 'transaction', work }),
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

/** Locks the file for this process and opens both connections; all or none of it stays open. */
function openFile(path: string) {
  mkdirSync(dirname(path), { recursive: true })
  using opening = new DisposableStack()
  opening.use(takeLock(path))
  // Made here so that only the owner may read it; SQLite gives its side files the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const connection = opening.use(connectSqlite(path, { readOnly: false, pragmas: durable }))
  const reader = opening.use(connectSqlite(path, { readOnly: true, pragmas: readable }))
  // Reading once shows what is wrong with the file, and makes sure that its log is there.
  reader.all('select count(*) from sqlite_schema')
  for (const one of [connection, reader]) one.all(neverWait)
  const log = opening.adopt(openSync(`${path}-wal`, 'r+'), closeSync)
  const opened = opening.move()
  return { connection, reader, log, dispose: () => opened.dispose() }
}

/**
 * After every commit the reading connection has to look everything up again, while the writing one
 * has it at hand. But that one could change things: it is asked only what the reading one, which
 * cannot, has answered before.
 */
function createReader(
  { connection, reader }: ReturnType<typeof openFile>,
  writer: Pick<ReturnType<typeof createSqliteWriter>, 'failure' | 'isWriting'>,
) {
  const safe = new Set<string>()
  return <Row>(sql: string, params?: readonly Param[]): Row[] => {
    // Who asks whether the server is ready must learn of it.
    const failure = writer.failure()
    if (failure) throw failure
    if (safe.has(sql) && !writer.isWriting()) return connection.all<Row>(sql, params)
    const rows = reader.all<Row>(sql, params)
    if (safe.size < maxSafe) safe.add(sql)
    return rows
  }
}

/** Opening would make a new one. */
export const isMissing = (path: string): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0

/** Held for as long as it is open. Locks die with their process: a kill leaves none behind. */
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
