// The database as each process has it: reached over a network that the seed controls. A statement is
// executed when its step comes, its answer comes with another step, and either may be lost.
import {
  CommitUnknown,
  type Db,
  type OnFailed,
  type Param,
  type Reader,
  StoreUnavailable,
} from '#store/db.ts'
import type { SqliteConnection } from '#store/sqlite/connection.ts'
import { type Actor, newActor, type Scheduler } from './scheduler.ts'
import { dialect, executeAll, executeTransaction, type SharedDatabase } from './shared-database.ts'

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
  /** A write of this process was made, and its answer has not set out yet. */
  onCommit(actor: Actor): void
}

type Executed<T> = { value: T; channels?: Iterable<string> | undefined }

type Operation<T> = {
  what: string
  execute(): Executed<T> | Promise<Executed<T>>
  /** For a transaction: executes it without keeping anything, as after a conflict. */
  tryOut?: () => Promise<Executed<T>>
  isRead: boolean
  onFailed?: OnFailed['onFailed']
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
          void reach<T>(network, actor, asTold(operation), { resolve, reject }).then(() => {
            if (!isOrdered) return
            writes.shift()
            writes[0]?.()
          })
        })
      }
      if (!isOrdered) return add()
      if (writes.push(add) === 1) add()
    })
  /** Where writes keep no order, nobody is told of a failure before its answer. */
  const asTold = <T>(operation: Operation<T>): Operation<T> =>
    isShared ? { ...operation, onFailed: undefined } : operation
  const none = async () => {}
  const { scheduler } = network
  const isAtOnce = () => network.outageUntilMs <= scheduler.nowMs() && scheduler.random.chance(0.8)
  return {
    ...{ kind: isShared ? 'postgres' : 'sqlite', isShared, keepsOrder: !isShared, dialect },
    synced: () => undefined,
    query: <Row>(sql: string, params: readonly Param[] = []) => {
      // Most often as if nothing else happened before the answer.
      if (shared.isKnownEmpty(sql, params) && isAtOnce()) return Promise.resolve([])
      const execute = () => ({ value: shared.read<Row>(sql, params) })
      return send({ what: 'query', isRead: true, execute })
    },
    write: <Row>(sql: string, params: readonly Param[] = []) => {
      if (shared.isKnownEmpty(sql, params) && isAtOnce()) return Promise.resolve([])
      const execute = () => {
        const value = shared.connection.run<Row>({ sql, rows: [params] })
        shared.onWritten(true)
        return { value }
      }
      return send({ what: 'write', isRead: false, execute })
    },
    transaction: (work, { isStored, onFailed } = {}) =>
      send({
        ...{ what: 'transaction', isRead: false, isStored, onFailed },
        execute: () => executeTransaction(shared, work),
        tryOut: () => executeTransaction(shared, work, 'rollback'),
      }),
    writeAll: (statements, { notify, onFailed } = {}) =>
      send({
        ...{ what: 'writes', isRead: false, onFailed },
        execute: () => ({
          value: executeAll(shared, statements()) as never,
          channels: notify === undefined ? [] : [notify],
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
  const fail = (what: string, error: unknown) => {
    if (!actor.isDead) operation.onFailed?.(error)
    reply(what, () => answer.reject(error))
  }
  const reply = (what: string, run: () => void) => {
    if (isQuick && !actor.isDead && actor.heldUpUntilMs <= scheduler.nowMs()) run()
    else scheduler.add(actor, what, run)
  }
  if (actor.isDead && random.chance(0.5)) return
  const isAway = scheduler.nowMs() < network.outageUntilMs
  if (isAway || random.below(1000) < faults.unavailable) {
    scheduler.stirUp()
    return fail('unavailable', new StoreUnavailable('simulated'))
  }
  const isLost = !operation.isRead && random.below(1000) < faults.answerLost
  const isMade = !isLost || random.chance(0.7)
  shared.actor = actor
  shared.nowMs = scheduler.nowMs()
  try {
    if (operation.tryOut && random.below(1000) < faults.repeated) await operation.tryOut()
    const done = isMade ? await operation.execute() : await operation.tryOut?.()
    if (isMade) wakeAll(network, done?.channels)
    if (isMade && !operation.isRead) network.onCommit(actor)
    if (!isLost && done) return reply('answer', () => answer.resolve(done.value))
    if (!done) return fail('lost', new CommitUnknown('simulated'))
    await loseAnswer(network, operation, { ...done, isMade }, (error) =>
      error ? fail('lost answer', error) : reply('lost answer', () => answer.resolve(done.value)),
    )
  } catch (error) {
    fail('refusal', error)
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
