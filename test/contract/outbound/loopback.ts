import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { createGateway, type Gateway, type GatewayRequest } from '#outbound/gateway.ts'
import type { Resolve } from '#outbound/resolve.ts'

/** The only name the tests know, and where it is unless a test says otherwise. */
export const hook = 'hook.example.com'

export function openGateway(
  resolve: Resolve = async () => ['127.0.0.1'],
): Gateway & AsyncDisposable {
  const gateway = createGateway({ allow: ['127.0.0.1/32'], resolve })
  return { ...gateway, [Symbol.asyncDispose]: () => gateway.close() }
}

export const limits = (given: Partial<GatewayRequest> = {}): GatewayRequest => ({
  timeoutMs: 20_000,
  maxBytes: 1024 * 1024,
  signal: new AbortController().signal,
  ...given,
})

type Listening = AsyncDisposable & { port: number; url: string; connections: () => number }

export async function listening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://${hook}:${port}/`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export const serve = (listener: RequestListener): Promise<Listening> =>
  listening(createServer(listener))

/** A server below HTTP, for answers no honest library would send. */
export const serveTcp = (onSocket: (socket: Socket) => void): Promise<Listening> =>
  listening(createTcpServer(onSocket))

/** Sends `answer` once the request's head has arrived. */
export const serveText = (answer: string): Promise<Listening> =>
  serveTcp((socket) => socket.once('data', () => socket.write(answer)))
