// Promises: jobs of one moment share a commit, and each caller is answered once the log that has
// its commit is on disk; one that fails harms only itself. Never makes the event loop wait for a
// sync, which another thread does, nor for a lock of another process, which is tried again later.
import { CommitUnknown, type Statement, StoreUnavailable, type Tx } from '../db.ts'
import { openTxScope } from '../tx-scope.ts'
import { isLocked, type SqliteConnection } from './connection.ts'

const maxTransactionMs = 15_000
/** Between commits others get their turn. */
const longestGroupMs = 2
/** Five seconds in all: longer than a backup or a look with the shell holds its lock. */
export const lockTries = { everyMs: 20, max: 250 }

export type Job = {
  resolve(value: unknown): void
  reject(error: unknown): void
} & (
  | { kind: 'statements'; statements: () => readonly Statement[]; notify?: string }
  | { kind: 'transaction'; work: (tx: Tx) => Promise<unknown> }
)
type Answer = { job: Job; tell(): void }

export function createSqliteWriter(
  connection: SqliteConnection,
  syncLog: (done: (error: Error | null) => void) => void,
  wake: (channel: string) => void,
) {
  const queue: Job[] = []
  let isScheduled = false
  let isWriting = false
  /** Committed, and waiting for a sync that begins from now on. */
  let unsynced: Answer[] = []
  let isSyncing = false
  let isStopped = false
  /** Set once a sync has failed: from then on nothing is confirmed. */
  let failure: StoreUnavailable | null = null
  /** How often in a row another process had the lock. */
  let lockedTries = 0
  const idle = Promise.withResolvers<void>()

  const isBusy = () => isScheduled || isWriting || isSyncing

  function schedule() {
    if (isScheduled || isWriting) return
    isScheduled = true
    // An immediate runs after all work of this turn has asked for its writes.
    setImmediate(() => void writeGroup())
  }

  async function writeGroup() {
    isScheduled = false
    if (queue.length === 0) return sync()
    isWriting = true
    const answers: Answer[] = []
    const startedAtMs = performance.now()
    try {
      connection.all('begin immediate')
      lockedTries = 0
      while (queue[0] && performance.now() - startedAtMs < longestGroupMs) {
        const job = queue[0]
        const tell =
          job.kind === 'transaction'
            ? await runTransaction(connection, job, wake)
            : runStatements(connection, job, wake)
        queue.shift()
        answers.push({ job, tell })
      }
      // A sync may have failed while a transaction of this group was awaited.
      if (failure) throw failure
      connection.all('commit')
      unsynced.push(...answers)
    } catch (error) {
      const isBegun = connection.inTransaction()
      if (isBegun) connection.all('rollback')
      else if (isLocked(error)) return waitForLock(error)
      for (const { job } of answers) job.reject(error)
      // The one that could not be begun, or that took the others with it.
      queue.shift()?.reject(error)
    }
    isWriting = false
    if (queue.length > 0) schedule()
    sync()
  }

  /** Once the lock has lasted, each new job is tried once and refused at once. */
  function waitForLock(error: unknown) {
    isWriting = false
    if (++lockedTries > lockTries.max) for (const job of queue.splice(0)) job.reject(error)
    if (queue.length === 0) return sync()
    isScheduled = true
    setTimeout(() => void writeGroup(), lockTries.everyMs)
  }

  function sync() {
    if (isSyncing) return
    if (unsynced.length === 0) {
      if (isStopped && !isBusy()) idle.resolve()
      return
    }
    isSyncing = true
    const answers = unsynced
    unsynced = []
    syncLog((error) => {
      isSyncing = false
      if (error) fail(error, answers)
      else for (const { tell } of answers) tell()
      sync()
    })
  }

  /** After a failed sync nobody can say what is on disk: only a new start can. */
  function fail(error: Error, answers: readonly Answer[]) {
    const reason = 'its log could not be synced'
    failure ??= new StoreUnavailable(reason, error)
    const unknown = new CommitUnknown(reason, error)
    for (const { job } of [...answers, ...unsynced.splice(0)]) job.reject(unknown)
    // The group that is being executed rolls itself back and answers its own jobs.
    const executing = isWriting ? 1 : 0
    for (const job of queue.splice(executing)) job.reject(failure)
  }

  return {
    add(job: Job) {
      if (isStopped) return job.reject(new StoreUnavailable('it is closed'))
      if (failure) return job.reject(failure)
      queue.push(job)
      schedule()
    },
    /** Something may be written that is not committed yet. */
    isWriting: () => isWriting,
    /** Why nothing is written any more, if that is so. */
    failure: () => failure,
    /** Takes nothing more; resolves when all that was taken is answered. */
    async stop(): Promise<void> {
      isStopped = true
      if (isBusy()) await idle.promise
    },
  }
}

const inJob = 'job'

/** Throws only if SQLite gave up all that was not committed. */
function runStatements(
  connection: SqliteConnection,
  job: Job & { kind: 'statements' },
  wake: (channel: string) => void,
): () => void {
  connection.all(`savepoint ${inJob}`)
  try {
    const rows = job.statements().map(connection.run)
    connection.all(`release ${inJob}`)
    return () => {
      job.resolve(rows)
      if (job.notify) wake(job.notify)
    }
  } catch (error) {
    return undone(connection, job, error)
  }
}

function undone(connection: SqliteConnection, job: Job, error: unknown): () => void {
  if (!connection.inTransaction()) throw error
  connection.all(`rollback to ${inJob}`)
  connection.all(`release ${inJob}`)
  return () => job.reject(error)
}

async function runTransaction(
  connection: SqliteConnection,
  job: Job & { kind: 'transaction' },
  wake: (channel: string) => void,
): Promise<() => void> {
  const { tx, channels, end } = openTxScope(async (statement) => connection.run(statement))
  connection.all(`savepoint ${inJob}`)
  try {
    const value = await bounded(job.work(tx))
    const failure = end()
    if (failure) throw failure.error
    connection.all(`release ${inJob}`)
    return () => {
      job.resolve(value)
      for (const channel of channels) wake(channel)
    }
  } catch (error) {
    end()
    return undone(connection, job, error)
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
