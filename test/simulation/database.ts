// The database that all simulated processes share: the server's own schema and statements, on
// SQLite in memory. Each process reaches it over a network that the seed controls: a statement is
// executed when its step comes, its answer comes with another step, and either may be lost.
// Transactions are executed one at a time; what happens inside two at once is left to the tests on
// PostgreSQL.
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import {
  CommitUnknown,
  type Db,
  type Param,
  type Reader,
  type Statement,
  StoreUnavailable,
  type Tx,
} from '#store/db.ts'
import type { Dialect } from '#store/dialect.ts'
import { migrate } from '#store/migrate.ts'
import { connectionTo, type SqliteConnection } from '#store/sqlite/connection.ts'
import { sqliteDialect } from '#store/sqlite/dialect.ts'
import { openTxScope } from '#store/tx-scope.ts'
import { type Actor, newActor, type Scheduler } from './scheduler.ts'

const dialect: Dialect = { ...sqliteDialect, nowMs: 'simulated_now()' }
const migrations = fileURLToPath(new URL('../../src/store/migrations', import.meta.url))

/**
 * Jumps from queue to queue in an index. On a few rows that takes SQLite twenty times as long as
 * reading them, and a third of the time of all statements.
 */
const queueSearch =
  /^with recursive found\(queue\) as \(\s*select \(select (\w+) from (.+?) order by \w+ limit 1\)[\s\S]*$/

/** What a run changes; all else is there from the start. */
const changing = [
  ...['workers', 'account_sequences', 'tasks', 'runs', 'steps', 'step_log', 'deliveries'],
  ...['delivery_tries', 'ledger', 'spend_days', 'usage_quarters', 'chat_intents'],
  ...['webhook_secrets', 'waits', 'firings', 'triggers'],
]

export type SharedDatabase = {
  connection: SqliteConnection
  /** Who executes a statement, for the triggers that watch rows. */
  actor: Actor | null
  nowMs: number
  /** Changes with the rows. */
  version: number
  /** Called after each transaction or single write. */
  onWritten(isKept: boolean): void
  /** Gets each statement. */
  trace: ((line: string) => void) | undefined
  define(name: string, call: (...args: unknown[]) => unknown): void
  read<Row>(sql: string, params: readonly Param[]): Row[]
  reset(): void
}

/** `db` has no network: it is for what surrounds a schedule. */
export async function openSharedDatabase(): Promise<{ shared: SharedDatabase; db: Db }> {
  const database = new DatabaseSync(':memory:')
  const plain = connectionTo(database, ['foreign_keys = on', 'temp_store = memory'])
  const translated = new Map<string, string>()
  const inSqlite = (sql: string) => {
    const known = translated.get(sql)
    if (known !== undefined) return known
    const made = sql
      .replace(/::(bigint|text\[\])/g, '')
      .replace(queueSearch, 'select distinct $1 as queue from $2 order by $1 limit $$1')
      .replace(
        /unnest\((\$\d+)\) as (\w+)\(key\)/,
        '(select value as key from json_each($1)) as $2',
      )
    translated.set(sql, made)
    return made
  }
  const connection: SqliteConnection = {
    ...plain,
    all(sql, params) {
      shared.trace?.(`${sql} ${params ?? ''}`)
      return plain.all(inSqlite(sql), params)
    },
    run(statement) {
      if (statement.rows.length > 0) shared.trace?.(`${statement.sql} ${statement.rows}`)
      return plain.run({ ...statement, sql: inSqlite(statement.sql) })
    },
  }
  const define = (name: string, call: (...args: unknown[]) => unknown) =>
    database.function(name, { varargs: true }, call as (...args: unknown[]) => null)
  const shared: SharedDatabase = {
    connection,
    actor: null,
    nowMs: 0,
    trace: undefined,
    version: 0,
    onWritten() {},
    define,
    read: (sql, params) => read(sql, params),
    reset() {
      connection.all('begin')
      shared.version++
      for (const table of changing) connection.all(`delete from ${table}`)
      connection.all('commit')
    },
  }
  const read = rememberingEmpty(shared)
  define('simulated_now', () => shared.nowMs)
  // What SQLite calls min and max, and locks that transactions one at a time do not need.
  define('least', (...values) => Math.min(...(values as number[])))
  define('greatest', (...values) => Math.max(...(values as number[])))
  define('hashtextextended', () => 0)
  define('pg_advisory_xact_lock', () => 1)
  define('pg_try_advisory_xact_lock', () => 1)
  const db = directDb(shared)
  await migrate(db, migrations)
  return { shared, db }
}

/** Most polls find nothing, and find nothing again as long as no row has changed. */
function rememberingEmpty(shared: SharedDatabase): SharedDatabase['read'] {
  const empty = new Set<string>()
  let version = -1
  return (sql, params) => {
    if (version !== shared.version) empty.clear()
    version = shared.version
    const key = `${sql} ${params.join()}`
    if (empty.has(key)) return []
    const rows = shared.connection.all<never>(sql, params)
    if (rows.length === 0 && !sql.includes(dialect.nowMs)) empty.add(key)
    return rows
  }
}

function directDb(shared: SharedDatabase): Db {
  const { connection } = shared
  const none = async () => {}
  return {
    ...{ kind: 'postgres', isShared: true, keepsOrder: false, dialect },
    synced: () => undefined,
    query: async (sql, params) => connection.all(sql, params),
    write: async (sql, params) => connection.all(sql, params),
    transaction: (work) => executeTransaction(shared, work).then(({ value }) => value),
    writeAll: async (statements) => executeAll(shared, statements()) as never,
    listen: async () => none,
    close: none,
    [Symbol.asyncDispose]: none,
  }
}

function executeAll(shared: SharedDatabase, statements: readonly Statement[]): unknown[][] {
  const { connection } = shared
  connection.all('begin')
  try {
    const rows = statements.map((statement) => connection.run(statement))
    connection.all('commit')
    shared.version++
    shared.onWritten(true)
    return rows
  } catch (error) {
    connection.all('rollback')
    shared.onWritten(false)
    throw error
  }
}

async function executeTransaction<T>(
  shared: SharedDatabase,
  work: (tx: Tx) => Promise<T>,
  end: 'commit' | 'rollback' = 'commit',
) {
  const { connection } = shared
  connection.all('begin')
  const scope = openTxScope(dialect, async (statement) => connection.run(statement))
  try {
    const value = await work(scope.tx)
    const failure = scope.end()
    if (failure) throw failure.error
    connection.all(end)
    shared.version++
    shared.onWritten(end === 'commit')
    return { value, channels: scope.channels }
  } catch (error) {
    scope.end()
    if (connection.inTransaction()) connection.all('rollback')
    shared.onWritten(false)
    throw error
  }
}

/** How often an operation fails, of a thousand. */
export type DatabaseFaults = { unavailable: number; answerLost: number; repeated: number }

export type Network = {
  scheduler: Scheduler
  shared: SharedDatabase
  faults: DatabaseFaults
  listeners: Map<string, Set<{ actor: Actor; onWake(): void }>>
  /** Until this time nothing reaches the database. */
  outageUntilMs: number
  violate(what: string): void
}

type Executed<T> = { value: T; channels?: Iterable<string> | undefined }

type Operation<T> = {
  what: string
  execute(): Executed<T> | Promise<Executed<T>>
  /** For a transaction: executes it without keeping anything, as after a conflict. */
  tryOut?: () => Promise<Executed<T>>
  isRead: boolean
  isStored?: ((db: Reader, value: T) => Promise<boolean>) | undefined
}

const wire = newActor('database')
const reader = (connection: SqliteConnection): Reader => ({
  dialect,
  query: async (sql, params) => connection.all(sql, params),
})

/** The database as one process has it. `isShared`: like PostgreSQL, otherwise like SQLite. */
export function databaseOf(
  network: Network,
  actor: Actor,
  { isShared }: { isShared: boolean },
): Db {
  const { shared } = network
  const writes: (() => void)[] = []
  const send = <T>(operation: Operation<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const isOrdered = !isShared && !operation.isRead
      const add = () => {
        // A transaction needs its process between statements. Anything else is sent at once, and
        // may be executed even if its process is held up or killed meanwhile.
        const on = isShared && !operation.tryOut ? wire : actor
        network.scheduler.add(on, `${actor.name} ${operation.what}`, () => {
          void reach<T>(network, actor, operation, { resolve, reject }).then(() => {
            if (!isOrdered) return
            writes.shift()
            writes[0]?.()
          })
        })
      }
      if (!isOrdered) return add()
      if (writes.push(add) === 1) add()
    })
  const none = async () => {}
  return {
    ...{ kind: isShared ? 'postgres' : 'sqlite', isShared, keepsOrder: !isShared, dialect },
    synced: () => undefined,
    query: <Row>(sql: string, params: readonly Param[] = []) => {
      const execute = () => ({ value: shared.read<Row>(sql, params) })
      return send({ what: 'query', isRead: true, execute })
    },
    write: <Row>(sql: string, params: readonly Param[] = []) => {
      const execute = () => {
        const value = shared.connection.run<Row>({ sql, rows: [params] })
        const [made] = shared.connection.all<{ rows: number }>('select changes() as rows')
        if (made?.rows !== 0) shared.version++
        shared.onWritten(true)
        return { value }
      }
      return send({ what: 'write', isRead: false, execute })
    },
    transaction: (work, { isStored } = {}) =>
      send({
        ...{ what: 'transaction', isRead: false, isStored },
        execute: () => executeTransaction(shared, work),
        tryOut: () => executeTransaction(shared, work, 'rollback'),
      }),
    writeAll: (statements, options) =>
      send({
        ...{ what: 'writes', isRead: false },
        execute: () => ({
          value: executeAll(shared, statements()) as never,
          channels: options && [options.notify],
        }),
      }),
    async listen(channel, onWake) {
      const own = { actor, onWake }
      const peers = network.listeners.get(channel) ?? new Set()
      network.listeners.set(channel, peers.add(own))
      return async () => void peers.delete(own)
    },
    close: none,
    [Symbol.asyncDispose]: none,
  }
}

type Answer<T> = { resolve(value: T): void; reject(error: unknown): void }

/** One operation reaches the database, and its answer sets out. */
async function reach<T>(
  network: Network,
  actor: Actor,
  operation: Operation<T>,
  answer: Answer<T>,
): Promise<void> {
  const { scheduler, shared, faults } = network
  const { random } = scheduler
  // Many answers come at once; for the others, anything may happen before they arrive.
  const isQuick = random.chance(operation.isRead ? 0.8 : 0.5)
  const reply = (what: string, run: () => void) => {
    if (isQuick && !actor.isDead && actor.heldUpUntilMs <= scheduler.nowMs()) run()
    else scheduler.add(actor, what, run)
  }
  if (actor.isDead && random.chance(0.5)) return
  const isAway = scheduler.nowMs() < network.outageUntilMs
  if (isAway || random.below(1000) < faults.unavailable) {
    const error = new StoreUnavailable('simulated')
    return reply('unavailable', () => answer.reject(error))
  }
  const isLost = !operation.isRead && random.below(1000) < faults.answerLost
  const isMade = !isLost || random.chance(0.7)
  shared.actor = actor
  shared.nowMs = scheduler.nowMs()
  try {
    if (operation.tryOut && random.below(1000) < faults.repeated) await operation.tryOut()
    const done = isMade ? await operation.execute() : await operation.tryOut?.()
    if (isMade) wakeAll(network, done?.channels)
    if (!isLost && done) return reply('answer', () => answer.resolve(done.value))
    if (!done) return reply('lost', () => answer.reject(new CommitUnknown('simulated')))
    await loseAnswer(network, operation, { ...done, isMade }, (error) =>
      reply('lost answer', () => (error ? answer.reject(error) : answer.resolve(done.value))),
    )
  } catch (error) {
    reply('refusal', () => answer.reject(error))
  } finally {
    shared.actor = null
  }
}

/** Half of the time it can be found out whether the commit was made, as after a restart. */
async function loseAnswer<T>(
  { shared, scheduler, violate }: Network,
  { isStored }: Operation<T>,
  { value, isMade }: { value: T; isMade: boolean },
  reply: (error: Error | null) => void,
): Promise<void> {
  if (!isStored || scheduler.random.chance(0.5)) return reply(new CommitUnknown('simulated'))
  const found = await isStored(reader(shared.connection), value)
  // One that had nothing to store says so.
  if (isMade && !found) violate('a commit that was made was not found')
  reply(found ? null : new StoreUnavailable('simulated'))
}

function wakeAll({ scheduler, listeners }: Network, channels: Iterable<string> = []) {
  for (const channel of channels) {
    for (const { actor, onWake } of listeners.get(channel) ?? []) {
      const { random } = scheduler
      const times = random.chance(0.05) ? 0 : random.chance(0.1) ? 2 : 1
      for (let i = 0; i < times; i++) scheduler.add(actor, `notified of ${channel}`, onWake)
    }
  }
}
