// Promises what db.ts promises, over a pool of connections: writes of one event-loop turn go
// out together and commit once, and if one of them fails the others are repeated without it.
// Never repeats anything whose commit may have happened: how it ended is asked for over another
// connection, and told as it was.
import {
  type Db,
  type Param,
  type Reader,
  type RowsOf,
  type Statement,
  StoreUnavailable,
  type TransactionOptions,
  type Tx,
} from '../db.ts'
import type { Lane } from './connection.ts'
import { postgresLimits } from './limits.ts'
import { openListener } from './listener.ts'
import { askOutcome } from './outcome.ts'
import { openPool, type Pool } from './pool.ts'
import { type Ending, repeatConflicts, runTransaction } from './transaction.ts'

const maxBatch = 500
// While these are under way further writes gather into larger batches.
const maxBatchesUnderWay = 4

type Write = {
  sql: string
  params: readonly Param[]
  resolve(rows: unknown[]): void
  reject(error: unknown): void
}

export type PostgresOptions = {
  url: string
  poolSize: number
  /** In which whoever waits for the database must be answered. */
  answerWithinMs?: number
  onAway?(error: unknown): void
  onBack?(): void
}

export function openPostgres(options: PostgresOptions): Db {
  const { url, poolSize, answerWithinMs = 15_000, onAway = () => {}, onBack = () => {} } = options
  const limits = postgresLimits(answerWithinMs)
  const pool = openPool({ url, size: poolSize, limits, onAway, onBack })
  const listener = openListener(url, limits)
  const notify = notifyAfterwards(pool)
  const query: Reader['query'] = (sql, params) => pool.use((lane) => lane.run(sql, params))
  const ending: Ending = {
    outcomeMs: limits.outcomeMs,
    outcomeOf: (lost) => askOutcome(pool, lost),
  }
  const writes = batchWrites(pool, ending)

  let closing: Promise<void> | undefined
  const finish = async () => {
    await writes.stop()
    await Promise.all([pool.close(), listener.close()])
  }
  const close = () => {
    closing ??= finish()
    return closing
  }

  async function transaction<T>(
    work: (tx: Tx) => Promise<T>,
    { wasMade, mayTakeLong }: TransactionOptions<T> = {},
  ): Promise<T> {
    const look = wasMade && ((value: T) => wasMade({ query }, value))
    const { value, channels } = await repeatConflicts(() =>
      pool.use((lane) => runTransaction(lane, work, ending, { look, mayTakeLong })),
    )
    notify(channels)
    return value
  }

  return {
    kind: 'postgres',
    skipLocked: 'for update skip locked',
    query,
    write: (sql, params = []) =>
      new Promise((resolve, reject) => {
        writes.add({ sql, params, resolve: resolve as Write['resolve'], reject })
      }),
    transaction,
    writeAll: <const Statements extends readonly Statement[]>(
      statements: () => Statements,
      options?: { notify: string },
    ) =>
      transaction((tx) => {
        if (options) tx.notify(options.notify)
        return Promise.all(statements().map(tx.run)) as unknown as Promise<RowsOf<Statements>>
      }),
    listen: listener.listen,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function batchWrites(pool: Pool, ending: Ending) {
  let queue: Write[] = []
  let underWay = 0
  let scheduled = false
  let stopped = false
  let onIdle: (() => void) | undefined

  function schedule() {
    if (queue.length === 0 && underWay === 0) onIdle?.()
    if (scheduled || queue.length === 0 || underWay === maxBatchesUnderWay) return
    scheduled = true
    setImmediate(start)
  }

  async function start() {
    scheduled = false
    underWay += 1
    const batch = queue.slice(0, maxBatch)
    queue = queue.slice(maxBatch)
    schedule()
    await pool
      .use((lane) => commitBatch(lane, batch, ending))
      .catch((error) => {
        for (const write of batch) write.reject(error)
      })
    underWay -= 1
    schedule()
  }

  return {
    add(write: Write) {
      if (stopped) return write.reject(new StoreUnavailable('it is closed'))
      queue.push(write)
      schedule()
    },
    /** Takes nothing more; resolves when all that was taken is answered. */
    async stop() {
      stopped = true
      if (queue.length > 0 || underWay > 0) await new Promise<void>((done) => (onIdle = done))
    },
  }
}

async function commitBatch(lane: Lane, batch: readonly Write[], ending: Ending): Promise<void> {
  if (batch.length > 1 && (await commitTogether(lane, batch, ending))) return
  for (const { sql, params, resolve, reject } of batch) {
    const alone = () => runTransaction(lane, (tx) => tx.write(sql, params), ending)
    await repeatConflicts(alone).then(({ value }) => resolve(value), reject)
  }
}

/** False if everything was rolled back, and can be written one by one. */
async function commitTogether(lane: Lane, batch: readonly Write[], ending: Ending) {
  const writeAll = (tx: Tx) => Promise.all(batch.map(({ sql, params }) => tx.write(sql, params)))
  try {
    const { value } = await runTransaction(lane, writeAll, ending)
    for (const [index, { resolve }] of batch.entries()) resolve(value[index] ?? [])
    return true
  } catch (error) {
    if (!lane.isOpen()) throw error
    return false
  }
}

/**
 * Tells channels after the commit, at most one message under way: a notify inside transactions
 * would make all commits of the database wait for one another.
 */
function notifyAfterwards(pool: Pool) {
  const channels = new Set<string>()
  let sending = false

  async function send() {
    sending = true
    while (channels.size > 0) {
      const names = [...channels]
      channels.clear()
      const tell = (lane: Lane) =>
        Promise.all(names.map((name) => lane.run("select pg_notify($1, '')", [name])))
      // A listener polls as well.
      await pool.use(tell).catch(() => {})
    }
    sending = false
  }

  return (names: Iterable<string>) => {
    for (const name of names) channels.add(name)
    if (channels.size > 0 && !sending) void send()
  }
}
