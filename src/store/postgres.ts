// Promises what db.ts promises, over a pool of connections: writes of one event-loop turn go
// out together and commit once, and if one of them fails the others are repeated without it.
// Never repeats anything whose commit may have happened: a lost connection is an error.
import {
  type Db,
  type Param,
  type RowsOf,
  type Statement,
  StoreUnavailable,
  type Tx,
} from './db.ts'
import { isConflict } from './postgres-errors.ts'
import type { Lane } from './postgres-lane.ts'
import { openListener } from './postgres-listener.ts'
import { openPool, type Pool } from './postgres-pool.ts'
import { openTxScope } from './tx-scope.ts'

const maxBatch = 500
// While these are under way further writes gather into larger batches.
const maxBatchesUnderWay = 4
const maxAttempts = 5

type Write = {
  sql: string
  params: readonly Param[]
  resolve(rows: unknown[]): void
  reject(error: unknown): void
}

export function openPostgres({ url, poolSize }: { url: string; poolSize: number }): Db {
  const pool = openPool(url, poolSize)
  const listener = openListener(url)
  const notify = notifyAfterwards(pool)
  const writes = batchWrites(pool)

  let closing: Promise<void> | undefined
  const finish = async () => {
    await writes.stop()
    await Promise.all([pool.close(), listener.close()])
  }
  const close = () => {
    closing ??= finish()
    return closing
  }

  async function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const { value, channels } = await repeatConflicts(() =>
      pool.use((lane) => runTransaction(lane, work)),
    )
    notify(channels)
    return value
  }

  return {
    kind: 'postgres',
    skipLocked: 'for update skip locked',
    query: (sql, params) => pool.use((lane) => lane.run(sql, params)),
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

async function repeatConflicts<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = maxAttempts - 1; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || !isConflict(error)) throw error
    }
  }
}

/**
 * Neither here nor in a batch does the end travel with the statements: the library repeats one
 * whose prepared plan is outdated, and would do so after the end.
 */
async function runTransaction<T>(lane: Lane, work: (tx: Tx) => Promise<T>) {
  const statements: Promise<unknown>[] = []
  // Those after it fail as well, and say only that the transaction is lost.
  let first: { error: unknown } | undefined
  const send = async <Row>(sql: string, params: readonly Param[]) => {
    try {
      return await lane.run<Row>(sql, params)
    } catch (error) {
      first ??= { error }
      throw first.error
    }
  }
  const scope = openTxScope(async <Row>({ sql, rows }: Statement<Row>) => {
    const runs = rows.map((params) => send<Row>(sql, params))
    statements.push(...runs)
    return (await Promise.all(runs)).flat()
  })
  // Not awaited: the first statement travels with it, and fails as well if it fails.
  lane.control('begin').catch(() => {})
  let value: T
  try {
    value = await work(scope.tx)
    await Promise.allSettled(statements)
    const failure = scope.end() ?? first
    if (failure) throw failure.error
  } catch (error) {
    scope.end()
    await Promise.allSettled(statements)
    await lane.control('rollback').catch(() => {})
    // Work may have wrapped it, and it decides whether to try again.
    throw isConflict(first?.error) ? first?.error : error
  }
  const ended = await lane.control('commit')
  if (ended !== 'COMMIT') throw new Error('the transaction was rolled back')
  return { value, channels: scope.channels }
}

function batchWrites(pool: Pool) {
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
      .use((lane) => commitBatch(lane, batch))
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

async function commitBatch(lane: Lane, batch: readonly Write[]): Promise<void> {
  if (batch.length > 1 && (await commitTogether(lane, batch))) return
  await Promise.all(
    batch.map(({ sql, params, resolve, reject }) =>
      repeatConflicts(() => lane.run(sql, params)).then(resolve, reject),
    ),
  )
}

/** False if everything was rolled back. */
async function commitTogether(lane: Lane, batch: readonly Write[]): Promise<boolean> {
  lane.control('begin').catch(() => {})
  const results = await Promise.allSettled(batch.map(({ sql, params }) => lane.run(sql, params)))
  const failed = results.some(({ status }) => status === 'rejected')
  const ended = await lane.control(failed ? 'rollback' : 'commit').catch((error) => {
    if (!lane.isOpen()) throw error
  })
  if (ended !== 'COMMIT') return false
  for (const [index, result] of results.entries()) {
    if (result.status === 'fulfilled') batch[index]?.resolve(result.value)
  }
  return true
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
