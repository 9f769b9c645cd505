// Keeps the process from running out of file descriptors. If it did, the operating system would
// take connections and drop them at once, and files and calls to providers would fail too.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Failure } from '#core/errors.ts'
import { rawFailure } from './failure-reply.ts'

/** A connection that is refused gets this long to send its request and to read the answer. */
const refusedMs = 2_000

export type Scarcity = {
  /** Whether the requests of this connection must be refused. */
  isRefused(socket: Socket): boolean
}

export const tooMany = () =>
  new Failure('SERVICE_UNAVAILABLE', {
    message: 'The server has too many open connections.',
    retryAfterSeconds: 1,
  })

type Handle = { fd?: number }

/**
 * Connections are served while half of the `limit` is free: the other half is for what serving them
 * opens, such as calls to providers. The system always gives out the lowest free descriptor, so
 * the number of a new connection tells how many are in use, without counting them.
 */
export function watchDescriptors(server: Server, limit: number): Scarcity {
  const refused = new Set<Socket>()
  server.on('connection', (socket: Socket & { _handle?: Handle | null }) => {
    const descriptor = socket._handle?.fd ?? 0
    if (descriptor < limit / 2) return
    // Many connections may arrive in one tick. What remains is for files, so these are answered
    // without waiting for their request; a client that still sends may find the connection reset.
    if (descriptor >= limit * (3 / 4)) {
      socket.write(rawFailure(tooMany()))
      socket.destroy()
      return
    }
    refused.add(socket)
    const timer = setTimeout(() => socket.destroy(), refusedMs)
    socket.once('close', () => {
      clearTimeout(timer)
      refused.delete(socket)
    })
  })
  return { isRefused: (socket) => refused.size > 0 && refused.has(socket) }
}
