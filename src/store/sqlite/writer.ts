// The write path of SQLite. One connection writes, so that every write of the process passes here:
//
//   add ─▶ queue ─▶ begin · job · job · job · commit ─▶ committed ─▶ fdatasync ─▶ callers answered
//                   └──── one batch, about 2 ms ───┘               └ another thread, one at a time
//
// Jobs of one tick share a commit, and commits made while a sync is under way share the next sync.
// A caller is answered only once the log that holds its commit is on disk. Every job runs inside a
// savepoint: one that fails is undone alone. A failed sync is final, because nobody can say what is
// on disk then: nothing is confirmed any more until the process has been started again. The event
// loop never waits for the disk, nor for another process that holds the lock of the file.
import { createBatcher, type Entry, type Take } from '#core/batcher.ts'
import { delay } from '#core/clock.ts'
import { coalesce } from '#core/coalesce.ts'
import { within } from '#core/deadline.ts'
import { CommitUnknown, type Statement, StoreUnavailable, type Tx } from '../db.ts'
import { openTxScope } from '../tx-scope.ts'
import { isLocked, type SqliteConnection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'

const maxTransactionMs = 15_000
/** Long enough for hundreds of statements; between two batches other work gets its share. */
const maxBatchMs = 2
/** Five seconds in all: longer than a backup or a look with the shell holds its lock. */
export const lockTries = { everyMs: 20, max: 250 }

export type Job =
  | { kind: 'statements'; statements: () => readonly Statement[]; notify?: string }
  | { kind: 'transaction'; work: (tx: Tx) => Promise<unknown> }

type Queued = Entry<Job, unknown>
/** A job that was executed, and how its caller is answered once that is on disk. */
type Executed = Pick<Queued, 'reject'> & { answer(): void }
type Done = { value: unknown; channels: Iterable<string> }
type Wake = (channel: string) => void

export function createSqliteWriter(
  connection: SqliteConnection,
  syncLog: () => Promise<void>,
  wake: Wake,
) {
  const jobs = createBatcher<Job, unknown>(writeBatch)
  const log = createGroupSync(syncLog)
  let isWriting = false
  let isStopped = false
  /** How often in a row another process had the lock. */
  let lockedTries = 0

  // Statements are executed without awaiting anything: whoever reads meanwhile would have to use
  // the other connection, which after every commit looks everything up anew.
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
      if (connection.inTransaction()) connection.all('rollback')
      throw error
    } finally {
      isWriting = false
    }
    log.answerOnceSynced(executed)
  }

  /**
   * False where another process has the lock. Once that has outlasted all tries, each new batch is
   * tried once and refused at once.
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
      if (isStopped) return Promise.reject(new StoreUnavailable('it is closed'))
      const failure = log.failure()
      return failure ? Promise.reject(failure) : jobs.add(job)
    },
    /** Something may be written that is not committed yet. */
    isWriting: () => isWriting,
    /** Why nothing is written any more, if that is so. */
    failure: log.failure,
    /** Takes nothing more; resolves when all that was taken is answered. */
    async stop(): Promise<void> {
      isStopped = true
      await jobs.idle()
      await log.stop()
    },
  }
}

/** Answers callers once their commit is on disk; commits made during a sync share the next one. */
function createGroupSync(syncLog: () => Promise<void>) {
  const syncs = coalesce(sync)
  /** Waits for a sync that begins from now on. */
  let committed: Executed[] = []
  let failure: StoreUnavailable | null = null

  async function sync(): Promise<void> {
    const executed = committed
    committed = []
    try {
      if (executed.length > 0) await syncLog()
    } catch (error) {
      const reason = 'its log could not be synced'
      failure ??= new StoreUnavailable(reason, error)
      const unknown = new CommitUnknown(reason, error)
      for (const { reject } of [...executed, ...committed.splice(0)]) reject(unknown)
      return
    }
    for (const { answer } of executed) answer()
  }

  return {
    answerOnceSynced(executed: readonly Executed[]): void {
      committed.push(...executed)
      void syncs.run()
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

/** Throws only if SQLite gave up all that was not committed. */
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
    return { reject, answer }
  }
  const undone = (error: unknown): Executed => {
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
    // Without a limit, work that awaits another writer would stop all writing, silently.
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
