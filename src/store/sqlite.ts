// Promises: everything asked for in one event-loop turn shares one durable commit, and each
// caller is answered after it; a failing neighbour harms only itself; one process owns the file.
// Never shows a half-done transaction to `query`: reads have their own connection.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Db, type Param, StoreUnavailable, type Tx } from './db.ts'
import { connectSqlite, type SqliteConnection } from './sqlite-connection.ts'
import { openTxScope } from './tx-scope.ts'

// Bounds how long one commit keeps the event loop.
const maxGroup = 1_000
const maxTransactionMs = 15_000

const durable = [
  'journal_mode = wal',
  'synchronous = full',
  'foreign_keys = on',
  // A larger log means fewer checkpoints; it shrinks back after a burst.
  'wal_autocheckpoint = 4000',
  'journal_size_limit = 67108864',
]

type Job = { resolve(value: unknown): void; reject(error: unknown): void } & (
  | { kind: 'write'; sql: string; params: readonly Param[] }
  | { kind: 'transaction'; work: (tx: Tx) => Promise<unknown> }
)
type Answer = () => void

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
  const connections = opening.move()
  const listeners = new Map<string, Set<() => void>>()
  const group = groupCommit(writer, (channel) => {
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
        group.add({ kind: 'write', sql, params, resolve: resolve as Job['resolve'], reject })
      }),
    transaction: (work) =>
      new Promise((resolve, reject) => {
        group.add({ kind: 'transaction', work, resolve: resolve as Job['resolve'], reject })
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

function groupCommit(writer: SqliteConnection, wake: (channel: string) => void) {
  let queue: Job[] = []
  let scheduled = false
  let stopped = false
  let onIdle = () => {}

  // An immediate runs after all work of this turn has asked for its writes.
  async function commitNext() {
    const jobs = queue.slice(0, maxGroup)
    queue = queue.slice(maxGroup)
    await commit(jobs)
    if (queue.length > 0) return void setImmediate(commitNext)
    scheduled = false
    onIdle()
  }

  async function commit(jobs: readonly Job[]) {
    const answers: Answer[] = []
    const channels = new Set<string>()
    try {
      writer.all('begin immediate')
      for (const job of jobs) {
        answers.push(
          job.kind === 'write'
            ? runWrite(writer, job)
            : await runTransaction(writer, job, (channel) => channels.add(channel)),
        )
      }
      writer.all('commit')
    } catch (error) {
      if (writer.inTransaction()) writer.all('rollback')
      for (const job of jobs) job.reject(error)
      return
    }
    for (const answer of answers) answer()
    for (const channel of channels) wake(channel)
  }

  return {
    add(job: Job) {
      if (stopped) return job.reject(new StoreUnavailable('it is closed'))
      queue.push(job)
      if (scheduled) return
      scheduled = true
      setImmediate(commitNext)
    },
    /** Takes nothing more; resolves when all that was taken is answered. */
    stop(): Promise<void> {
      stopped = true
      return new Promise((resolve) => {
        if (scheduled) onIdle = resolve
        else resolve()
      })
    },
  }
}

/** A failed statement undoes itself. Throws only if SQLite gave up the whole group. */
function runWrite(writer: SqliteConnection, job: Job & { kind: 'write' }): Answer {
  try {
    const rows = writer.all(job.sql, job.params)
    return () => job.resolve(rows)
  } catch (error) {
    if (!writer.inTransaction()) throw error
    return () => job.reject(error)
  }
}

async function runTransaction(
  writer: SqliteConnection,
  job: Job & { kind: 'transaction' },
  notify: (channel: string) => void,
): Promise<Answer> {
  const scope = openTxScope(async (sql, params) => writer.all(sql, params))
  writer.all('savepoint work')
  try {
    const value = await bounded(job.work(scope.tx))
    const failure = scope.end()
    if (failure) throw failure.error
    writer.all('release work')
    scope.channels.forEach(notify)
    return () => job.resolve(value)
  } catch (error) {
    scope.end()
    if (!writer.inTransaction()) throw error
    writer.all('rollback to work')
    writer.all('release work')
    return () => job.reject(error)
  }
}

/** Without it, work that awaits another writer would stop all writing, silently. */
function bounded<T>(work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => {
    reject(new Error('a transaction may await nothing but its own queries'))
  }, maxTransactionMs)
  work.then(resolve, reject).finally(() => clearTimeout(timer))
  return promise
}
