// Promises: jobs of the same moment share one transaction and one sync of the log; each caller is
// answered after the sync that covers it; a failing job harms only itself. Never blocks the
// event loop on the disk: the next group is written while the last one is being synced.
import { type Param, StoreUnavailable, type Tx } from './db.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { openTxScope } from './tx-scope.ts'

// Bounds how long one group keeps the event loop.
const maxGroup = 1_000
const maxTransactionMs = 15_000

export type Job = { resolve(value: unknown): void; reject(error: unknown): void } & (
  | { kind: 'write'; sql: string; params: readonly Param[] }
  | { kind: 'transaction'; work: (tx: Tx) => Promise<unknown> }
)
type Answer = () => void
type Group = { done(): void; lost(error: unknown): void }

export function groupCommit(
  writer: SqliteConnection,
  syncLog: () => Promise<void>,
  wake: (channel: string) => void,
) {
  let queue: Job[] = []
  let isScheduled = false
  let written: Group[] = []
  let isSyncing = false
  let broken: StoreUnavailable | null = null
  let isStopped = false
  let onIdle: () => void = () => undefined

  // An immediate runs after all work of this turn has asked for its writes.
  async function writeNext() {
    const jobs = queue.slice(0, maxGroup)
    queue = queue.slice(maxGroup)
    await writeGroup(jobs)
    if (queue.length > 0) return void setImmediate(writeNext)
    isScheduled = false
    endIfIdle()
  }

  async function writeGroup(jobs: readonly Job[]) {
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
    written.push({
      done() {
        for (const answer of answers) answer()
        for (const channel of channels) wake(channel)
      },
      lost(error) {
        for (const job of jobs) job.reject(error)
      },
    })
    void syncWritten()
  }

  /** One sync at a time; what is written meanwhile shares the next. */
  async function syncWritten() {
    if (isSyncing) return
    isSyncing = true
    while (written.length > 0) {
      const groups = written
      written = []
      try {
        await syncLog()
        for (const group of groups) group.done()
      } catch (error) {
        // After a failed sync nobody can say what is on disk: only a new start can.
        broken = new StoreUnavailable('its log could not be synced', error)
        for (const group of groups) group.lost(broken)
      }
    }
    isSyncing = false
    endIfIdle()
  }

  const endIfIdle = () => {
    if (!isScheduled && !isSyncing) onIdle()
  }

  return {
    add(job: Job) {
      if (isStopped) return job.reject(new StoreUnavailable('it is closed'))
      if (broken) return job.reject(broken)
      queue.push(job)
      if (isScheduled) return
      isScheduled = true
      setImmediate(writeNext)
    },
    /** Takes nothing more; resolves when all that was taken is answered. */
    stop(): Promise<void> {
      isStopped = true
      return new Promise((resolve) => {
        onIdle = resolve
        endIfIdle()
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
