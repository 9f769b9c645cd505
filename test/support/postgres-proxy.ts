// A proxy between a client and PostgreSQL that fails like a network: it cuts a connection at the
// moment of a COMMIT, refuses new ones, or goes silent while all stay open. Knows nothing about the
// code under test.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type PostgresProxy = AsyncDisposable & {
  /** The same database, through the proxy. */
  url: string
  /**
   * Cuts the connection of the next COMMIT. If `forwarded`, the COMMIT reaches the server and the
   * answer is lost; if `withheld`, it never arrives. `then` is called just before the cut.
   */
  cutAtCommit(commit: 'forwarded' | 'withheld', then?: () => unknown): void
  /** Cuts every connection and refuses new ones until `open`. */
  shut(): void
  open(): void
  /** Keeps connections and accepts new ones, but passes nothing on until `resume`. */
  stall(): void
  resume(): void
  /** The number of open connections of clients. */
  count(): number
  close(): Promise<void>
}

/** A simple query `commit`: message type, length, text and terminator. */
const commitMessage = Buffer.from('Q\0\0\0\x0bcommit\0')

type Cut = { commit: 'forwarded' | 'withheld'; then: (() => unknown) | undefined }

export async function startPostgresProxy(serverUrl: string): Promise<PostgresProxy> {
  const upstream = new URL(serverUrl)
  const pairs = new Set<{ client: Socket; server: Socket }>()
  let cut: Cut | undefined
  let isShut = false
  let isStalled = false

  const listener = createServer((client) => {
    if (isShut) return void client.resetAndDestroy()
    const server = connect(Number(upstream.port), upstream.hostname)
    const pair = { client, server }
    pairs.add(pair)
    if (isStalled) pause(pair)
    client.on('data', (bytes: Buffer) => {
      if (cut && bytes.includes(commitMessage)) return void cutNow(pair, bytes, cut)
      server.write(bytes)
    })
    server.on('data', (bytes) => client.write(bytes))
    endTogether(pair, () => pairs.delete(pair))
  })

  async function cutNow({ client, server }: Pair, bytes: Buffer, { commit, then }: Cut) {
    cut = undefined
    server.removeAllListeners('data')
    if (commit === 'forwarded') {
      const answered = once(server, 'data')
      server.write(bytes)
      await Promise.race([answered, once(server, 'close')])
    }
    await then?.()
    client.resetAndDestroy()
  }

  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const url = new URL(serverUrl)
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  const each = (act: (pair: Pair) => void) => {
    for (const pair of pairs) act(pair)
  }
  const close = async () => {
    const closed = once(listener, 'close')
    listener.close()
    each(({ client, server }) => [client, server].map((socket) => socket.destroy()))
    await closed
  }
  return {
    url: url.href,
    cutAtCommit: (commit, then) => {
      cut = { commit, then }
    },
    shut() {
      isShut = true
      each(({ client }) => client.resetAndDestroy())
    },
    open: () => {
      isShut = false
    },
    stall() {
      isStalled = true
      each(pause)
    },
    resume() {
      isStalled = false
      each(({ client, server }) => [client, server].map((socket) => socket.resume()))
    },
    count: () => pairs.size,
    close,
    [Symbol.asyncDispose]: close,
  }
}

type Pair = { client: Socket; server: Socket }

function endTogether({ client, server }: Pair, onEnd: () => void) {
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on('error', () => {})
    one.on('close', () => {
      onEnd()
      other.destroy()
    })
  }
}

function pause({ client, server }: Pair) {
  client.pause()
  server.pause()
}
