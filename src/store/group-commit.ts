// Promises: jobs of the same moment share one transaction and one sync of the log; each caller is
// answered after the sync that covers it, or after the commit where surviving a kill is enough;
// a failing job harms only itself. Never blocks the event loop on the disk: syncing happens on
// another thread.
import { type Param, type Statement, StoreUnavailable, type Tx } from './db.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { openTxScope } from './tx-scope.ts'

// Bounds how long one group keeps the event loop.
const maxGroup = 1_000
const maxTransactionMs = 15_000
// How long a commit nobody waits for may stay unsynced.
const unsyncedMs = 5

export type Job = {
  /** What its caller is promised: `kill` is answered at the commit. */
  survives: 'kill' | 'power-cut'
  resolve(value: unknown): void
  reject(error: unknown): void
} & (
  | { kind: 'write'; sql: string; params: readonly Param[] }
  | { kind: 'writes'; statements: () => readonly Statement[] }
  | { kind: 'transaction'; work: (tx: Tx) => Promise<unknown> }
)
type Answer = () => void
type Answers = { committed: Answer[]; synced: Answer[] }

export function groupCommit(
  writer: SqliteConnection,
  syncLog: () => Promise<void>,
  wake: (channel: string) => void,
) {
  let queue: Job[] = []
  let isRunning = false
  let broken: StoreUnavailable | null = null
  let isStopped = false
  const idle = Promise.withResolvers<void>()
  let lateSync: NodeJS.Timeout | undefined

  /** What arrives during a sync waits for the next one anyway, so it is written with it. */
  async function runGroups() {
    while (queue.length > 0) {
      const jobs = queue.slice(0, maxGroup)
      queue = queue.slice(maxGroup)
      const answers = await writeGroup(jobs)
      if (!answers) continue
      for (const answer of answers.committed) answer()
      if (answers.synced.length === 0) {
        lateSync ??= setTimeout(sync, unsyncedMs)
        continue
      }
      const failure = await sync()
      if (failure) for (const job of jobs) job.reject(failure)
      else for (const answer of answers.synced) answer()
    }
    isRunning = false
    if (isStopped) idle.resolve()
  }

  async function sync(): Promise<StoreUnavailable | null> {
    clearTimeout(lateSync)
    lateSync = undefined
    try {
      await syncLog()
    } catch (error) {
      // After a failed sync nobody can say what is on disk: only a new start can.
      broken = new StoreUnavailable('its log could not be synced', error)
      for (const job of queue.splice(0)) job.reject(broken)
    }
    return broken
  }

  /** Null if the group failed as a whole, and was told so. */
  async function writeGroup(jobs: readonly Job[]): Promise<Answers | null> {
    const answers: Answers = { committed: [], synced: [] }
    const channels = new Set<string>()
    try {
      writer.all('begin immediate')
      for (const job of jobs) {
        const answer =
          job.kind === 'transaction'
            ? await runTransaction(writer, job, (channel) => channels.add(channel))
            : job.kind === 'write'
              ? runWrite(writer, job)
              : runWrites(writer, job)
        answers[job.survives === 'kill' ? 'committed' : 'synced'].push(answer)
      }
      writer.all('commit')
    } catch (error) {
      if (writer.inTransaction()) writer.all('rollback')
      for (const job of jobs) job.reject(error)
      return null
    }
    const wakeAll = () => {
      for (const channel of channels) wake(channel)
    }
    if (channels.size > 0) answers[answers.synced.length > 0 ? 'synced' : 'committed'].push(wakeAll)
    return answers
  }

  return {
    add(job: Job) {
      if (isStopped) return job.reject(new StoreUnavailable('it is closed'))
      if (broken) return job.reject(broken)
      queue.push(job)
      if (isRunning) return
      isRunning = true
      // An immediate runs after all work of this turn has asked for its writes.
      setImmediate(runGroups)
    },
    /** Takes nothing more; resolves when all that was taken is answered. */
    async stop(): Promise<void> {
      isStopped = true
      if (isRunning) await idle.promise
      if (lateSync) await sync()
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

function runWrites(writer: SqliteConnection, job: Job & { kind: 'writes' }): Answer {
  writer.all('savepoint work')
  try {
    for (const [sql, params] of job.statements()) writer.all(sql, params)
    writer.all('release work')
    return () => job.resolve(undefined)
  } catch (error) {
    return undone(writer, job, error)
  }
}

/** Of a savepoint whose work failed. Throws if SQLite gave up the whole group. */
function undone(writer: SqliteConnection, job: Job, error: unknown): Answer {
  if (!writer.inTransaction()) throw error
  writer.all('rollback to work')
  writer.all('release work')
  return () => job.reject(error)
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
    return undone(writer, job, error)
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
