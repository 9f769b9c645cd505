// The write path of SQLite. One connection writes, so every write of the process passes here:
//
//   add ─▶ queue ─▶ begin · job · job · job · commit ─▶ committed ─▶ fdatasync ─▶ callers answered
//                   └──── one batch, about 2 ms ───┘               └ another thread, one at a time
//
// Jobs of one tick share a commit, and commits made while a sync is under way share the next sync.
// A caller is answered only once the log that holds its commit is on disk. Every job runs inside a
// savepoint, so a job that fails is rolled back alone. A failed sync is final, because it is then
// unknown what is on disk: nothing is confirmed until the process restarts. The event loop waits
// neither for the sync nor for another process that holds the file's lock.
import { createBatcher, type Entry, type Take } from '#core/batcher.ts'
import { delay } from '#core/clock.ts'
import { coalesce } from '#core/coalesce.ts'
import { within } from '#core/deadline.ts'
import { CommitUnknown, type OnFailed, type Statement, StoreUnavailable, type Tx } from '../db.ts'
import { openTxScope } from '../tx-scope.ts'
import { isLocked, type SqliteConnection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'

const maxTransactionMs = 15_000
/** Long enough for hundreds of statements; other work gets its turn between two batches. */
const maxBatchMs = 2
/** Five seconds in all: longer than a backup, or a query in the sqlite3 shell, holds its lock. */
export const lockTries = { everyMs: 20, max: 250 }

export type Job = OnFailed &
  (
    | { kind: 'statements'; statements: () => readonly Statement[]; notify?: string }
    | { kind: 'transaction'; work: (tx: Tx) => Promise<unknown> }
  )

type Queued = Entry<Job, unknown>
/** An executed job, and how to answer its caller once it is on disk. */
type Executed = Pick<Queued, 'reject'> & OnFailed & { answer(): void }
type Done = { value: unknown; channels: Iterable<string> }
type Wake = (channel: string) => void

/** The write-ahead log. `onBroken` is called with the first sync that failed. */
type Log = { sync(): Promise<void>; onBroken?: ((error: unknown) => void) | undefined }

export function createSqliteWriter(connection: SqliteConnection, file: Log, wake: Wake) {
  const jobs = createBatcher<Job, unknown>(writeBatch)
  const log = createGroupSync(file)
  let isWriting = false
  let isStopped = false
  /** How many times in a row another process held the lock. */
  let lockedTries = 0

  // Statements are executed without awaiting anything: reads in between would have to use the
  // other connection, whose cache is stale after every commit.
  async function writeBatch(take: Take<Job, unknown>): Promise<void> {
    while (!begin(take)) await delay(lockTries.everyMs)
    const executed: Executed[] = []
    const startedAtMs = performance.now()
    try {
      while (performance.now() - startedAtMs < maxBatchMs) {
        const [entry] = take(1)
        if (!entry) break
        const outcome = execute(connection, entry, wake)
        executed.push(outcome instanceof Promise ? await outcome : outcome)
      }
      // A sync may have failed while a transaction of this batch was awaited.
      log.assertSound()
      connection.all('commit')
    } catch (error) {
      for (const { onFailed } of executed) onFailed?.(error)
      if (connection.inTransaction()) connection.all('rollback')
      throw error
    } finally {
      isWriting = false
    }
    log.answerOnceSynced(executed)
  }

  /**
   * False if another process holds the lock. Once the retries are used up, each new batch is tried
   * only once before it is refused.
   */
  function begin(take: Take<Job, unknown>): boolean {
    try {
      log.assertSound()
      connection.all('begin immediate')
      isWriting = true
      lockedTries = 0
      return true
    } catch (error) {
      if (isLocked(error) && ++lockedTries <= lockTries.max) return false
      take()
      throw error
    }
  }

  return {
    add(job: Job): Promise<unknown> {
      if (isStopped) return Promise.reject(new StoreUnavailable('the database file is closed'))
      const failure = log.failure()
      return failure ? Promise.reject(failure) : jobs.add(job)
    },
    /** Whether there may be writes that are not committed yet. */
    isWriting: () => isWriting,
    /** Why nothing can be written any more; null while all is well. */
    failure: log.failure,
    synced: log.synced,
    /** Accepts no more jobs; resolves when all that were accepted have been answered. */
    async stop(): Promise<void> {
      isStopped = true
      await jobs.idle()
      await log.stop()
    },
  }
}

/** Answers callers once their commit is on disk; commits made during a sync share the next one. */
function createGroupSync(file: Log) {
  const syncs = coalesce(sync)
  /** Jobs that wait for the next sync. */
  let committed: Executed[] = []
  /** Jobs that the current sync covers; undefined while there is none. */
  let covered: Executed[] | undefined
  let failure: StoreUnavailable | null = null

  async function sync(): Promise<void> {
    const executed = committed
    committed = []
    covered = executed
    try {
      if (executed.length > 0) await file.sync()
    } catch (error) {
      const reason = 'the write-ahead log could not be synced'
      if (!failure) {
        failure = new StoreUnavailable(reason, error)
        file.onBroken?.(failure)
      }
      const unknown = new CommitUnknown(reason, error)
      for (const { reject } of [...executed, ...committed.splice(0)]) reject(unknown)
      return
    } finally {
      covered = undefined
    }
    for (const { answer } of executed) answer()
  }

  return {
    answerOnceSynced(executed: readonly Executed[]): void {
      committed.push(...executed)
      void syncs.run()
    },
    /** Resolves once all commits so far are on disk; undefined if they are. */
    synced(): Promise<void> | undefined {
      if (failure) return Promise.reject(failure)
      // A commit that was made during a sync needs the next one.
      const awaited = committed.length > 0 ? committed : covered
      return awaited && new Promise((answer, reject) => awaited.push({ answer, reject }))
    },
    /** Set by the first sync that failed. */
    failure: () => failure,
    assertSound(): void {
      if (failure) throw failure
    },
    stop: syncs.stop,
  }
}

const inJob = 'job'

/** Throws only if SQLite itself rolled back everything uncommitted. */
function execute(
  connection: SqliteConnection,
  { item, resolve, reject }: Queued,
  wake: Wake,
): Executed | Promise<Executed> {
  const done = ({ value, channels }: Done): Executed => {
    connection.all(`release ${inJob}`)
    const answer = () => {
      resolve(value)
      for (const channel of channels) wake(channel)
    }
    return { reject, answer, onFailed: item.onFailed }
  }
  const undone = (error: unknown): Executed => {
    item.onFailed?.(error)
    if (!connection.inTransaction()) throw error
    connection.all(`rollback to ${inJob}`)
    connection.all(`release ${inJob}`)
    return { reject, answer: () => reject(error) }
  }
  connection.all(`savepoint ${inJob}`)
  if (item.kind === 'transaction')
    return runTransaction(connection, item.work).then(done).catch(undone)
  try {
    const value = item.statements().map(connection.run)
    return done({ value, channels: item.notify ? [item.notify] : [] })
  } catch (error) {
    return undone(error)
  }
}

async function runTransaction(connection: SqliteConnection, work: (tx: Tx) => Promise<unknown>) {
  const { tx, channels, end } = openTxScope(sqliteDialect, async (statement) =>
    connection.run(statement),
  )
  try {
    // Without a limit, work that awaits another writer would silently stop all writing.
    const value = await within(maxTransactionMs, work(tx), () => {
      throw new Error('a transaction may await nothing but its own queries')
    })
    const failure = end()
    if (failure) throw failure.error
    return { value, channels }
  } catch (error) {
    end()
    throw error
  }
}
