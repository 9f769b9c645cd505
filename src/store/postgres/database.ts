// Promises what db.ts promises, over a pool of connections: writes of one event-loop tick go
// out together and commit once, and if one of them fails the others are repeated without it.
// Never repeats a transaction that may have committed: its outcome is asked for over another
// connection, and its caller is answered accordingly.
import { createBatcher, type Entry } from '#core/batcher.ts'
import { coalesce } from '#core/coalesce.ts'
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
import { readAddress } from './address.ts'
import type { Connection } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { postgresLimits } from './limits.ts'
import { openListener } from './listener.ts'
import { askOutcome } from './outcome.ts'
import { openPool, type Pool } from './pool.ts'
import { type Ending, repeatConflicts, runTransaction } from './transaction.ts'

const maxBatch = 500
// While these are under way, further writes gather into larger batches.
const maxBatchesUnderWay = 4

type Write = { sql: string; params: readonly Param[] }

export type PostgresOptions = {
  url: string
  /**
   * The database itself, if `url` leads to a pooler that lends its connections for one
   * transaction at a time: listening needs a connection of its own.
   */
  directUrl?: string | undefined
  poolSize: number
  /** Everyone who waits for the database must be answered within this time. */
  answerWithinMs?: number
  onUnavailable?(error: unknown): void
  onRecovered?(): void
}

export function openPostgres(options: PostgresOptions): Db {
  const { url, directUrl, poolSize, answerWithinMs = 15_000 } = options
  const { onUnavailable = () => {}, onRecovered = () => {} } = options
  const limits = postgresLimits(answerWithinMs)
  const usesTransactionPooling = directUrl !== undefined
  const address = readAddress(url)
  const server = { address, limits, usesTransactionPooling }
  const pool = openPool({ ...server, size: poolSize, onUnavailable, onRecovered })
  const direct = usesTransactionPooling ? readAddress(directUrl) : address
  const listener = openListener({ address: direct, limits })
  const notify = notifyAfterwards(pool)
  const reader: Reader = {
    dialect: postgresDialect,
    query: (sql, params) => pool.use((connection) => connection.read(sql, params)),
  }
  const ending: Ending = {
    outcomeMs: limits.outcomeMs,
    outcomeOf: (lost) => askOutcome(pool, lost),
  }
  const writes = batchWrites(pool, ending)

  let closing: Promise<void> | undefined
  const finish = async () => {
    await writes.idle()
    await Promise.all([pool.close(), listener.close()])
  }
  const close = () => {
    closing ??= finish()
    return closing
  }

  async function transaction<T>(
    work: (tx: Tx) => Promise<T>,
    { isStored, mayTakeLong }: TransactionOptions<T> = {},
  ): Promise<T> {
    const running = {
      isStored: isStored && ((value: T) => isStored(reader, value)),
      mayTakeLong,
    }
    const { value, channels } = await repeatConflicts(() =>
      pool.use((connection) => runTransaction(connection, work, ending, running)),
    )
    notify(channels)
    return value
  }

  return {
    ...nature,
    load: pool.load,
    ...reader,
    // Only the caller knows the type of what its statement returns.
    write: <Row>(sql: string, params: readonly Param[] = []) =>
      closing
        ? Promise.reject(new StoreUnavailable('the connection pool is closed'))
        : (writes.add({ sql, params }) as Promise<Row[]>),
    transaction,
    writeAll: <const Statements extends readonly Statement[]>(
      statements: () => Statements,
      { notify }: { notify?: string } = {},
    ) =>
      transaction((tx) => {
        if (notify) tx.notify(notify)
        return Promise.all(statements().map(tx.run)) as unknown as Promise<RowsOf<Statements>>
      }),
    listen: listener.listen,
    close,
    [Symbol.asyncDispose]: close,
  }
}

const nature = {
  kind: 'postgres',
  isShared: true,
  keepsOrder: false,
  // PostgreSQL shows a commit to others only once it is on disk (`synchronous_commit`).
  synced: () => undefined,
} as const

const batchWrites = (pool: Pool, ending: Ending) =>
  createBatcher<Write, unknown[]>(
    (take) => {
      const batch = take()
      return pool.use((connection) => commitBatch(connection, batch, ending))
    },
    { maxItems: maxBatch, atOnce: maxBatchesUnderWay },
  )

/** Commits a batch together, or entry by entry if one of them makes that fail. */
async function commitBatch(
  connection: Connection,
  batch: readonly Entry<Write, unknown[]>[],
  ending: Ending,
): Promise<void> {
  if (batch.length > 1 && (await commitTogether(connection, batch, ending))) return
  for (const { item, resolve, reject } of batch) {
    const { sql, params } = item
    const alone = () => runTransaction(connection, (tx) => tx.write(sql, params), ending)
    await repeatConflicts(alone).then(({ value }) => resolve(value), reject)
  }
}

/** False if everything was rolled back, so that the entries can be written one by one. */
async function commitTogether(
  connection: Connection,
  batch: readonly Entry<Write, unknown[]>[],
  ending: Ending,
): Promise<boolean> {
  const writeAll = (tx: Tx) =>
    Promise.all(batch.map(({ item: { sql, params } }) => tx.write(sql, params)))
  try {
    const { value } = await runTransaction(connection, writeAll, ending)
    for (const [index, { resolve }] of batch.entries()) resolve(value[index] ?? [])
    return true
  } catch (error) {
    if (!connection.isOpen()) throw error
    return false
  }
}

/**
 * Notifies channels after the commit, with at most one message under way: a notify inside
 * transactions would make all commits of the database wait for one another.
 */
function notifyAfterwards(pool: Pool) {
  const channels = new Set<string>()
  const sending = coalesce(async () => {
    const names = [...channels]
    channels.clear()
    const notify = (connection: Connection) =>
      Promise.all(names.map((name) => connection.run("select pg_notify($1, '')", [name])))
    // A failure does no harm: listeners poll as well.
    if (names.length > 0) await pool.use(notify).catch(() => {})
  })
  return (names: Iterable<string>) => {
    for (const name of names) channels.add(name)
    if (channels.size > 0) void sending.run()
  }
}
