// Promises: what is asked for in one event-loop turn is handed over together, and each caller is
// answered once its job is on disk; one that fails harms only itself. Never makes the event loop
// wait: the writing is done by another thread.
import { type Statement, StoreUnavailable, type Tx } from './db.ts'
import type { Outcome, SqliteLink } from './sqlite-link.ts'
import { openTxScope } from './tx-scope.ts'

const maxTransactionMs = 15_000

export type Job = {
  resolve(value: unknown): void
  reject(error: unknown): void
} & (
  | { kind: 'statements'; statements: () => readonly Statement[]; notify?: string }
  | { kind: 'transaction'; work: (tx: Tx) => Promise<unknown> }
)

export function createSqliteWriter(link: SqliteLink, wake: (channel: string) => void) {
  const queue: Job[] = []
  let isScheduled = false
  /** No other job may come between the statements of a transaction. */
  let isInTransaction = false
  let isStopped = false
  const drained = Promise.withResolvers<void>()

  function startJobs() {
    while (!isInTransaction) {
      const job = queue.shift()
      if (!job) break
      if (job.kind === 'statements') writeStatements(link, job, wake)
      else void writeTransaction(job)
    }
    link.flush()
    if (isStopped && !isInTransaction) drained.resolve()
  }

  async function writeTransaction(job: Job & { kind: 'transaction' }) {
    isInTransaction = true
    await runTransaction(link, job, wake)
    isInTransaction = false
    startJobs()
  }

  // Before the next answer is read: what follows from one is written while others go on.
  link.onAnswered(() => {
    if (queue.length > 0 && !isInTransaction) startJobs()
  })

  return {
    add(job: Job) {
      if (isStopped) return job.reject(new StoreUnavailable('it is closed'))
      queue.push(job)
      if (isScheduled || isInTransaction) return
      isScheduled = true
      // An immediate runs after all work of this turn has asked for its writes.
      setImmediate(() => {
        isScheduled = false
        startJobs()
      })
    },
    /** Takes nothing more; resolves when all that was taken is answered. */
    async close(): Promise<void> {
      isStopped = true
      if (isScheduled || isInTransaction) await drained.promise
      await link.close()
    },
  }
}

const answer = (job: Job, outcome: Outcome, value: (rows: unknown[][]) => unknown) =>
  'rows' in outcome ? job.resolve(value(outcome.rows)) : job.reject(outcome.error)

function writeStatements(
  link: SqliteLink,
  job: Job & { kind: 'statements' },
  wake: (channel: string) => void,
) {
  try {
    link.all(job.statements(), (outcome) => {
      answer(job, outcome, (rows) => rows)
      if ('rows' in outcome && job.notify) wake(job.notify)
    })
  } catch (error) {
    job.reject(error)
  }
}

/** Resolves when its last statement was sent, so that the next job can follow it. */
async function runTransaction(
  link: SqliteLink,
  job: Job & { kind: 'transaction' },
  wake: (channel: string) => void,
) {
  const { tx, channels, end } = openTxScope(
    <Row>(statement: Statement<Row>) =>
      new Promise<Row[]>((resolve, reject) => {
        link.run(statement, (outcome) =>
          'rows' in outcome ? resolve((outcome.rows[0] ?? []) as Row[]) : reject(outcome.error),
        )
      }),
  )
  link.open()
  try {
    const value = await bounded(job.work(tx))
    const failure = end()
    if (failure) throw failure.error
    // This fails if a statement did for which the work has not waited.
    link.end('keep', (outcome) => {
      answer(job, outcome, () => value)
      if ('rows' in outcome) for (const channel of channels) wake(channel)
    })
  } catch (error) {
    end()
    link.end('undo', () => job.reject(error))
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
