// The library's client, limited to one socket: it is known which statements are unanswered, the
// connection to a silent server is dropped, and a connection that was lost stays lost.
import net from 'node:net'
import postgres from 'postgres'
import { type Param, StoreUnavailable } from '../db.ts'
import type { ServerAddress } from './address.ts'
import { asStoreError, isConnectionLost } from './errors.ts'
import type { PostgresLimits } from './limits.ts'
import { postgresTypes } from './types.ts'

type TransportEvents = { onLost(error: unknown): void; onNotify(channel: string): void }
type Rows = postgres.RowList<postgres.Row[]>
type Protocol = { simple: boolean; known?: readonly [string] | undefined }

export function openTransport(
  address: ServerAddress,
  limits: PostgresLimits,
  events: TransportEvents,
) {
  const pending = new Set<(error: unknown) => void>()
  const silence = watchSilence(limits.silenceMs, () => {
    lose(new StoreUnavailable(`the server has not answered for ${limits.silenceMs} ms`))
  })
  const socket = singleSocket(address, limits.connectMs)
  const client = postgres(address.url, {
    ...clientOptions(limits),
    ...(address.ssl && { ssl: address.ssl(socket.hostname) }),
    onclose: () => lose(new StoreUnavailable('the connection was lost')),
    // Missing in the library's types.
    ...{ socket: socket.open, onnotify: events.onNotify },
  })
  let open = true

  function lose(error: unknown) {
    if (!open) return
    open = false
    silence.stop()
    // The library would leave statements that it has not sent yet waiting for ever.
    for (const reject of pending) reject(error)
    pending.clear()
    void client.end({ timeout: 0 })
    // A silent peer would not answer a graceful close either.
    socket.destroy()
    events.onLost(error)
  }

  const answered = (reject: (error: unknown) => void) => {
    pending.delete(reject)
    silence.answered(pending.size)
  }
  /** If `known` is given, the statement is prepared, and cached under that text object. */
  const send = (sql: string, params: readonly Param[], { simple, known }: Protocol) =>
    new Promise<Rows>((resolve, reject) => {
      if (!open) return reject(new StoreUnavailable('the connection was lost'))
      pending.add(reject)
      silence.asked()
      const protocol = { simple, prepare: known !== undefined }
      const query = client.unsafe(sql, [...params], protocol)
      if (known) Object.assign(query, { strings: known })
      query.then(
        (rows) => {
          answered(reject)
          resolve(rows)
        },
        (error) => {
          answered(reject)
          if (isConnectionLost(error)) lose(asStoreError(error))
          reject(asStoreError(error))
        },
      )
    })

  const sendSimple = (sql: string) => send(sql, [], { simple: true })
  return {
    send: (sql: string, params: readonly Param[], known?: readonly [string]) =>
      send(sql, params, { simple: false, known }),
    /** Sends several statements without parameters; resolves with the rows of each. */
    sendAll: (sql: string) => sendSimple(sql) as Promise<unknown> as Promise<postgres.Row[][]>,
    control: async (word: 'commit' | 'rollback') => (await sendSimple(word)).command,
    silenceLimit: silence.limit,
    isOpen: () => open,
    lose,
    async end() {
      open = false
      silence.stop()
      await client.end({ timeout: limits.connectMs / 1000 })
    },
  }
}

const clientOptions = (limits: PostgresLimits) => ({
  max: 1,
  connect_timeout: limits.connectMs / 1000,
  idle_timeout: 0,
  max_lifetime: null,
  fetch_types: false,
  onnotice: () => {},
  types: postgresTypes,
  // A pooler refuses a connection with further startup parameters.
  connection: { application_name: 'atelier' },
})

/**
 * Calls back after `silenceMs` without an answer while one is due. If this process itself was
 * blocked, it first reads what has arrived meanwhile.
 */
function watchSilence(silenceMs: number, onSilent: () => void) {
  let timer: NodeJS.Timeout | undefined
  let isSuspended = false
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const listenOnce = () => {
    const waiting = timer
    setImmediate(() => {
      if (timer && timer === waiting && !isSuspended) onSilent()
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
    limit: {
      suspend() {
        isSuspended = true
      },
      resume() {
        isSuspended = false
      },
    },
  }
}

type Server = { host: string[]; port: number[]; path: string | false }

/** The first `open` connects; a later one is the library trying to reconnect, and is refused. */
function singleSocket(address: ServerAddress, connectMs: number) {
  let used = false
  let socket: net.Socket | undefined
  let hostname = ''
  async function open({ host: hosts, port: ports, path }: Server): Promise<net.Socket> {
    if (used) throw new StoreUnavailable('the connection was lost')
    used = true
    let failure: unknown
    for (const turn of hosts.keys()) {
      const index = (address.firstHost + turn) % hosts.length
      hostname = hosts[index] ?? ''
      try {
        const target = path ? { path } : { host: hostname, port: ports[index] ?? 5432 }
        socket = await connect(target, hostname, connectMs)
        return socket
      } catch (error) {
        failure = error
      }
    }
    throw new StoreUnavailable(`cannot connect to ${hosts.join(', ')}`, failure)
  }
  return { open, hostname: () => hostname, destroy: () => void socket?.destroy() }
}

function connect(target: net.NetConnectOpts, host: string, connectMs: number): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>()
  const socket = net.connect(target).setNoDelay(true).setKeepAlive(true, 10_000)
  socket.setTimeout(connectMs, () => socket.destroy(new Error('no answer')))
  socket.once('error', reject)
  socket.once('connect', () => {
    socket.setTimeout(0).removeAllListeners('timeout').removeListener('error', reject)
    // The library checks a certificate against this name.
    resolve(Object.assign(socket, { host }))
  })
  return promise
}
