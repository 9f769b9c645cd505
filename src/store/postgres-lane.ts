import net from 'node:net'
import postgres from 'postgres'
import { type Param, StoreUnavailable } from './db.ts'
import { asStoreError, isConnectionLost } from './postgres-errors.ts'
import { limitTransactions } from './postgres-limits.ts'
import { checkParams, postgresTypes } from './postgres-types.ts'

const connectSeconds = 5
const statementTimeoutMs = 15_000
// A transaction awaits nothing but its own statements: one that is idle holds locks for nobody.
const idleInTransactionMs = 5_000
const transactionTimeoutMs = 10_000
const maxPrepared = 500

/**
 * One physical connection for life: statements go out in the order of the calls, without
 * waiting for one another's answers. It never reconnects, so that a transaction whose
 * connection broke cannot go on, outside of any transaction, over a new one.
 */
export type Lane = {
  run<Row>(sql: string, params?: readonly Param[]): Promise<Row[]>
  /** Resolves with what the server did: a commit after a failed statement is a rollback. */
  control(word: 'begin' | 'commit' | 'rollback'): Promise<string>
  isOpen(): boolean
  /** Whether the server keeps so many prepared statements for it that a new one is better. */
  isWorn(): boolean
  end(): Promise<void>
}

type LaneEvents = { onLost(lane: Lane): void; onNotify?(channel: string): void }

export function openLane(url: string, events: LaneEvents): Lane {
  const pending = new Set<(error: unknown) => void>()
  // The library keeps one entry for ever per text object whose statement failed.
  const texts = new Map<string, readonly [string]>()
  let open = true

  const client = postgres(url, {
    max: 1,
    connect_timeout: connectSeconds,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
    onclose: () => lose(new StoreUnavailable('the connection was lost')),
    types: postgresTypes,
    connection: {
      application_name: 'atelier',
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      // Every statement here has its index. A plan made while a table was small, before any
      // statistics, would otherwise read the whole table long after it has grown.
      ...{ enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' },
    },
    // Missing in the library's types.
    ...{ socket: singleSocket(), onnotify: (channel: string) => events.onNotify?.(channel) },
  })

  function lose(error: unknown) {
    if (!open) return
    open = false
    // The library would let those that it has not sent yet wait for ever.
    for (const reject of pending) reject(error)
    pending.clear()
    void client.end({ timeout: 0 })
    events.onLost(lane)
  }

  type Protocol = { simple: boolean; prepare: boolean }
  function send(sql: string, params: readonly Param[], protocol: Protocol) {
    return new Promise<postgres.RowList<postgres.Row[]>>((resolve, reject) => {
      if (!open) return reject(new StoreUnavailable('the connection was lost'))
      pending.add(reject)
      const query = client.unsafe(sql, [...params], protocol)
      const strings = texts.get(sql)
      if (strings) Object.assign(query, { strings })
      query.then(
        (result) => {
          pending.delete(reject)
          resolve(result)
        },
        (error) => {
          pending.delete(reject)
          if (isConnectionLost(error)) lose(asStoreError(error))
          reject(asStoreError(error))
        },
      )
    })
  }

  const lane: Lane = {
    async run<Row>(sql: string, params: readonly Param[] = []) {
      checkParams(params)
      if (texts.size < maxPrepared && !texts.has(sql)) texts.set(sql, [sql])
      return [...(await send(sql, params, { simple: false, prepare: texts.has(sql) }))] as Row[]
    },
    control: async (word) => (await send(word, [], { simple: true, prepare: false })).command,
    isOpen: () => open,
    isWorn: () => texts.size >= maxPrepared,
    async end() {
      open = false
      await client.end({ timeout: connectSeconds })
    },
  }
  // A client that fell silent in the middle of a pipeline is not idle in the eyes of the server.
  const limit = limitTransactions(transactionTimeoutMs, 'session')
  send(limit, [], { simple: true, prepare: false }).catch(lose)
  return lane
}

type Server = { host: string[]; port: number[]; path: string | false }

/** The first call connects; any later one, the library's try to reconnect, is refused. */
function singleSocket() {
  let used = false
  return async ({ host: hosts, port: ports, path }: Server): Promise<net.Socket> => {
    if (used) throw new StoreUnavailable('the connection was lost')
    used = true
    let failure: unknown
    for (const [index, host] of hosts.entries()) {
      try {
        return await connect(path ? { path } : { host, port: ports[index] ?? 5432 }, host)
      } catch (error) {
        failure = error
      }
    }
    throw new StoreUnavailable(`cannot connect to ${hosts.join(', ')}`, failure)
  }
}

function connect(address: net.NetConnectOpts, host: string): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>()
  const socket = net.connect(address).setNoDelay(true).setKeepAlive(true, 10_000)
  socket.setTimeout(connectSeconds * 1000, () => socket.destroy(new Error('no answer')))
  socket.once('error', reject)
  socket.once('connect', () => {
    socket.setTimeout(0).removeAllListeners('timeout').removeListener('error', reject)
    // The library checks a certificate against this name.
    resolve(Object.assign(socket, { host }))
  })
  return promise
}
