// Promises: everything asked for in one event-loop turn shares one durable commit, and each
// caller is answered after it; a failing neighbour harms only itself; one process owns the file.
// Never shows a half-done transaction to `query`: reads have their own connection.
import { closeSync, fdatasync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Db, type Param, StoreUnavailable } from './db.ts'
import { groupCommit, type Job } from './group-commit.ts'
import { connectSqlite, type SqliteConnection } from './sqlite-connection.ts'

const durable = [
  'journal_mode = wal',
  // The group syncs the log itself, off the event loop, before it answers anyone.
  'synchronous = normal',
  'foreign_keys = on',
  // A larger log means fewer checkpoints; it shrinks back after a burst.
  'wal_autocheckpoint = 4000',
  'journal_size_limit = 67108864',
]

export function openSqlite({ path }: { path: string }): Db {
  mkdirSync(dirname(path), { recursive: true })
  using opening = new DisposableStack()
  opening.use(takeLock(path))
  // Made here so that only the owner may read it; SQLite gives its side files the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const shared = [
    'busy_timeout = 5000',
    'temp_store = memory',
    'cache_size = -65536',
    'mmap_size = 268435456',
  ]
  const writer = opening.use(
    connectSqlite(path, { readOnly: false, pragmas: [...shared, ...durable] }),
  )
  const reader = opening.use(connectSqlite(path, { readOnly: true, pragmas: shared }))
  // Reading once makes sure that the log file is there.
  reader.all('select count(*) from sqlite_schema')
  const syncLog = opening.use(openLogSync(`${path}-wal`))
  const connections = opening.move()
  const listeners = new Map<string, Set<() => void>>()
  const group = groupCommit(writer, syncLog.sync, (channel) => {
    for (const onWake of listeners.get(channel) ?? []) queueMicrotask(onWake)
  })

  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= group.stop().then(() => connections.dispose())
    return closing
  }

  return {
    kind: 'sqlite',
    skipLocked: '',
    async query<Row>(sql: string, params?: readonly Param[]) {
      if (closing) throw new StoreUnavailable('it is closed')
      return reader.all<Row>(sql, params)
    },
    write: (sql, params = []) =>
      new Promise((resolve, reject) => {
        group.add({ ...answeredBy(resolve, reject), kind: 'write', sql, params })
      }),
    transaction: (work, options) =>
      new Promise((resolve, reject) => {
        group.add({ ...answeredBy(resolve, reject, options), kind: 'transaction', work })
      }),
    writeAll: (statements, options) =>
      new Promise((resolve, reject) => {
        group.add({ ...answeredBy(resolve, reject, options), kind: 'writes', statements })
      }),
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

/** What is asked for comes from outside: only its caller knows the type of the answer. */
const answeredBy = (
  resolve: (value: never) => void,
  reject: Job['reject'],
  options?: { survives: 'kill' },
): Pick<Job, 'survives' | 'resolve' | 'reject'> => ({
  survives: options?.survives ?? 'power-cut',
  resolve: resolve as Job['resolve'],
  reject,
})

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

/** SQLite keeps its locks on other files, so a descriptor of our own on the log disturbs none. */
function openLogSync(path: string) {
  const log = openSync(path, 'r+')
  return {
    sync: () =>
      new Promise<void>((resolve, reject) => {
        fdatasync(log, (error) => (error ? reject(error) : resolve()))
      }),
    [Symbol.dispose]: () => closeSync(log),
  }
}
