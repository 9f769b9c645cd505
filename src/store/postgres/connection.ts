import net from 'node:net'
import postgres from 'postgres'
import { type Param, StoreUnavailable } from '../db.ts'
import { asStoreError, isConnectionLost } from './errors.ts'
import { limitTransactions, type PostgresLimits } from './limits.ts'
import { checkParams, postgresTypes } from './types.ts'

// A transaction awaits nothing but its own statements: one that is idle holds locks for nobody.
const idleInTransactionMs = 5_000
const maxPrepared = 500

/**
 * One physical connection for life: statements go out in the order of the calls, without
 * waiting for one another's answers. It never reconnects, so that a transaction whose
 * connection broke cannot go on, outside of any transaction, over a new one.
 */
export type Lane = {
  run<Row>(sql: string, params?: readonly Param[]): Promise<Row[]>
  /** Resolves with the transaction's number, by which its outcome can be asked for later. */
  begin(): Promise<string>
  /** Resolves with what the server did: a commit after a failed statement is a rollback. */
  control(word: 'commit' | 'rollback'): Promise<string>
  /** Names the life of the server: a crash ends it, and numbers may then be given out again. */
  readonly life: Promise<string>
  /** A migration may take any time, and so may its peers that wait for it. */
  mayBeSilent(may: boolean): void
  isOpen(): boolean
  /** Disconnects at once: nobody knows what state it is in. */
  discard(error: unknown): void
  /** Whether the server keeps so many prepared statements for it that a new one is better. */
  isWorn(): boolean
  end(): Promise<void>
}

type LaneEvents = {
  onLost(lane: Lane, error: unknown): void
  onNotify?(channel: string): void
}

export function openLane(url: string, limits: PostgresLimits, events: LaneEvents): Lane {
  const pending = new Set<(error: unknown) => void>()
  const silence = watchSilence(limits.silenceMs, () => {
    lose(new StoreUnavailable(`it has not answered for ${limits.silenceMs} ms`))
  })
  const socket = singleSocket(limits.connectMs)
  // The library keeps one entry for ever per text object whose statement failed.
  const texts = new Map<string, readonly [string]>()
  let open = true

  const client = postgres(url, {
    max: 1,
    connect_timeout: limits.connectMs / 1000,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
    onclose: () => lose(new StoreUnavailable('the connection was lost')),
    types: postgresTypes,
    connection: {
      application_name: 'atelier',
      statement_timeout: limits.statementMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      // Every statement here has its index. A plan made while a table was small, before any
      // statistics, would otherwise read the whole table long after it has grown.
      ...{ enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' },
    },
    // Missing in the library's types.
    ...{ socket: socket.open, onnotify: (channel: string) => events.onNotify?.(channel) },
  })

  function lose(error: unknown) {
    if (!open) return
    open = false
    silence.stop()
    // The library would let those that it has not sent yet wait for ever.
    for (const reject of pending) reject(error)
    pending.clear()
    void client.end({ timeout: 0 })
    // A peer that says nothing would not answer a polite end either.
    socket.destroy()
    events.onLost(lane, error)
  }

  type Protocol = { simple: boolean; prepare: boolean }
  function send(sql: string, params: readonly Param[], protocol: Protocol) {
    return new Promise<postgres.RowList<postgres.Row[]>>((resolve, reject) => {
      if (!open) return reject(new StoreUnavailable('the connection was lost'))
      pending.add(reject)
      silence.asked()
      const query = client.unsafe(sql, [...params], protocol)
      const strings = texts.get(sql)
      if (strings) Object.assign(query, { strings })
      query.then(
        (result) => {
          pending.delete(reject)
          silence.answered(pending.size)
          resolve(result)
        },
        (error) => {
          pending.delete(reject)
          silence.answered(pending.size)
          if (isConnectionLost(error)) lose(asStoreError(error))
          reject(asStoreError(error))
        },
      )
    })
  }

  /** Several statements without parameters; what each of them returned. */
  const sendAll = (sql: string) =>
    send(sql, [], simple) as Promise<unknown> as Promise<postgres.Row[][]>

  async function startSession(): Promise<string> {
    // A client that fell silent in the middle of a pipeline is not idle in the eyes of the server.
    const limit = limitTransactions(limits.statementMs, 'session')
    try {
      const [, life] = await sendAll(`${limit}; ${lifeOfServer}`)
      return String(life?.[0]?.life)
    } catch (error) {
      lose(error)
      throw error
    }
  }

  const lane: Lane = {
    async run<Row>(sql: string, params: readonly Param[] = []) {
      checkParams(params)
      if (texts.size < maxPrepared && !texts.has(sql)) texts.set(sql, [sql])
      return [...(await send(sql, params, { simple: false, prepare: texts.has(sql) }))] as Row[]
    },
    async begin() {
      const [, numbered] = await sendAll(`begin; select pg_current_xact_id()::text as xid`)
      return String(numbered?.[0]?.xid)
    },
    control: async (word) => (await send(word, [], simple)).command,
    life: startSession(),
    mayBeSilent: silence.mayLast,
    isOpen: () => open,
    discard: lose,
    isWorn: () => texts.size >= maxPrepared,
    async end() {
      open = false
      silence.stop()
      await client.end({ timeout: limits.connectMs / 1000 })
    },
  }
  // Nobody may ask for it.
  lane.life.catch(() => {})
  return lane
}

const simple = { simple: true, prepare: false }

/** Statistics are thrown away in a crash and only then, unless someone asks for it. */
const lifeOfServer = `select concat(pg_postmaster_start_time(), ' ', stats_reset) as life
  from pg_stat_bgwriter`

/**
 * Calls back after so long without an answer while one is due. A process that was held up itself
 * first reads what has arrived meanwhile.
 */
function watchSilence(silenceMs: number, onSilent: () => void) {
  let timer: NodeJS.Timeout | undefined
  let mayLast = false
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const listenOnce = () => {
    const waiting = timer
    setImmediate(() => {
      if (timer && timer === waiting && !mayLast) onSilent()
    })
  }
  const asked = () => {
    timer ??= setTimeout(listenOnce, silenceMs)
  }
  return {
    stop,
    asked,
    answered(stillDue: number) {
      stop()
      if (stillDue > 0) asked()
    },
    mayLast(may: boolean) {
      mayLast = may
    },
  }
}

type Server = { host: string[]; port: number[]; path: string | false }

/** The first call connects; any later one, the library's try to reconnect, is refused. */
function singleSocket(connectMs: number) {
  let used = false
  let socket: net.Socket | undefined
  async function open({ host: hosts, port: ports, path }: Server): Promise<net.Socket> {
    if (used) throw new StoreUnavailable('the connection was lost')
    used = true
    let failure: unknown
    for (const [index, host] of hosts.entries()) {
      try {
        const address = path ? { path } : { host, port: ports[index] ?? 5432 }
        socket = await connect(address, host, connectMs)
        return socket
      } catch (error) {
        failure = error
      }
    }
    throw new StoreUnavailable(`cannot connect to ${hosts.join(', ')}`, failure)
  }
  return { open, destroy: () => void socket?.destroy() }
}

function connect(
  address: net.NetConnectOpts,
  host: string,
  connectMs: number,
): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>()
  const socket = net.connect(address).setNoDelay(true).setKeepAlive(true, 10_000)
  socket.setTimeout(connectMs, () => socket.destroy(new Error('no answer')))
  socket.once('error', reject)
  socket.once('connect', () => {
    socket.setTimeout(0).removeAllListeners('timeout').removeListener('error', reject)
    // The library checks a certificate against this name.
    resolve(Object.assign(socket, { host }))
  })
  return promise
}
