import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Reply = { status: number; headers?: Record<string, string>; body?: string | Buffer }
export type Received = { path: string; headers: IncomingHttpHeaders; body: string }

/** What a receiver does with a request; `hold` answers with the default once it is released. */
type Behaviour = Reply | 'hold' | 'hang-up' | ((received: Received) => Promise<Reply>)

export type Receiver = AsyncDisposable & {
  url: string
  received: Received[]
  /** One behaviour per coming request; after them the default, 204. */
  script(...behaviours: Behaviour[]): void
  always(behaviour: Behaviour): void
  /** Resolves once `count` requests have arrived in all. */
  arrived(count: number): Promise<void>
  /** Answers everything held, and holds nothing more. */
  release(): void
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const scripted: Behaviour[] = []
  const waiting = new Set<() => void>()
  const gate = Promise.withResolvers<void>()
  let fallback: Behaviour = { status: 204 }

  const server = createServer(async (request, response) => {
    const body = await text(request)
    const one = { path: request.url ?? '', headers: request.headers, body }
    received.push(one)
    for (const tell of waiting) tell()
    const behaviour = scripted.shift() ?? fallback
    if (behaviour === 'hang-up') return void request.socket.destroy()
    if (behaviour === 'hold') await gate.promise
    const reply =
      behaviour === 'hold'
        ? { status: 204 }
        : typeof behaviour === 'function'
          ? await behaviour(one)
          : behaviour
    response.writeHead(reply.status, reply.headers).end(reply.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    script: (...behaviours) => void scripted.push(...behaviours),
    always: (behaviour) => {
      fallback = behaviour
    },
    arrived: (count) =>
      new Promise((resolve) => {
        const tell = () => {
          if (received.length < count) return
          waiting.delete(tell)
          resolve()
        }
        waiting.add(tell)
        tell()
      }),
    release: gate.resolve,
    async [Symbol.asyncDispose]() {
      gate.resolve()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
