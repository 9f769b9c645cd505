// Promises: everything asked for in one event-loop turn shares one durable commit, and each
// caller is answered after it; a failing neighbour harms only itself; one process owns the file.
// Never shows a half-done transaction to `query`: reads have their own connection, on this
// thread, and writes have theirs on another.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Db, type Param, StoreUnavailable } from './db.ts'
import { connectSqlite, type SqliteConnection } from './sqlite-connection.ts'
import { openSqliteLink } from './sqlite-link.ts'
import { createSqliteWriter, type Job } from './sqlite-writer.ts'

const shared = ['busy_timeout = 5000', 'temp_store = memory', 'cache_size = -32768']
const readable = [...shared, 'mmap_size = 268435456']
const durable = [
  ...shared,
  'journal_mode = wal',
  'synchronous = full',
  'foreign_keys = on',
  // A larger log means fewer checkpoints; it shrinks back after a burst.
  'wal_autocheckpoint = 4000',
  'journal_size_limit = 67108864',
]

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

export function openSqlite({ path }: { path: string }): Db {
  mkdirSync(dirname(path), { recursive: true })
  using opening = new DisposableStack()
  const lock = opening.use(takeLock(path))
  // Made here so that only the owner may read it; SQLite gives its side files the same mode.
  closeSync(openSync(path, 'a', 0o600))
  // What is wrong with the file shows here, before anything is promised.
  using first = connectSqlite(path, { readOnly: false, pragmas: ['journal_mode = wal'] })
  first.all('select count(*) from sqlite_schema')
  const reader = opening.use(connectSqlite(path, { readOnly: true, pragmas: readable }))
  reader.all('select count(*) from sqlite_schema')
  const link = openSqliteLink(path, durable)
  opening.move()
  const listeners = new Map<string, Set<() => void>>()
  const writer = createSqliteWriter(link, (channel) => {
    for (const onWake of listeners.get(channel) ?? []) queueMicrotask(onWake)
  })

  let closing: Promise<void> | undefined
  const finish = async () => {
    // The last one to close tidies up the log, and only a writer can.
    reader[Symbol.dispose]()
    await writer.close()
    lock[Symbol.dispose]()
  }
  const close = () => {
    closing ??= finish()
    return closing
  }
  // What is asked for comes from outside: only its caller knows the type of the answer.
  const add = <T>(job: DistributiveOmit<Job, 'resolve' | 'reject'>) =>
    new Promise<T>((resolve, reject) => {
      writer.add({ ...job, resolve: resolve as Job['resolve'], reject })
    })

  return {
    kind: 'sqlite',
    skipLocked: '',
    async query<Row>(sql: string, params?: readonly Param[]) {
      if (closing) throw new StoreUnavailable('it is closed')
      // Who asks whether the server is ready must learn of it.
      const failure = link.failure()
      if (failure) throw failure
      return reader.all<Row>(sql, params)
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
