// Graceful shutdown of the HTTP server: the port closes, so that a proxy tries another server;
// requests in flight finish, new ones on open connections are answered with 503, and no connection
// is reset while it may still hold bytes we have not read.
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { closeLingering, isClosing } from './lingering-close.ts'

// A connection that was accepted but has sent nothing yet gets about a second to send its
// request. The limit counts ticks, not time: the event loop reads pending input in every tick,
// so a slow machine gets as many chances to see a request as a fast one.
const lastTicks = 100
// Much shorter than any shutdown, much longer than a request takes from its socket to a handler.
const tickMs = 10

/** Tracks a server's connections from its start and returns the function that drains them. */
export function prepareDrain(server: Server): (limitMs: number) => Promise<void> {
  /** Open connections, each with the number of bytes read from it at the last check. */
  const open = new Map<Socket, number>()
  let accepted = 0
  server.on('connection', (socket: Socket) => {
    accepted++
    open.set(socket, 0)
    socket.once('close', () => open.delete(socket))
  })

  return async (limitMs) => {
    const deadline = performance.now() + limitMs
    const isInTime = () => performance.now() < deadline
    // Closing the port resets connections in the accept queue. The event loop accepts at least
    // one of them per tick, so a tick without a new connection means that the queue is empty.
    let acceptedBefore = -1
    while (isInTime() && accepted !== acceptedBefore) {
      acceptedBefore = accepted
      // The first may still belong to the current tick, which has accepted its connections.
      await setImmediate()
      await setImmediate()
    }
    // `close` of the HTTP server would also destroy idle connections, even if a request has just
    // arrived on them. `close` of the TCP server only stops listening.
    NetServer.prototype.close.call(server)
    while (isInTime() && [...open.keys()].some(isAnswering)) await setTimeout(tickMs)
    for (let tick = 0; tick < lastTicks && open.size > 0 && isInTime(); tick++) {
      for (const [socket, bytesBefore] of open) {
        open.set(socket, socket.bytesRead)
        const isQuiet = socket.bytesRead === bytesBefore && !isAnswering(socket)
        const hasServed = socket.bytesWritten > 0
        if (isQuiet && hasServed) closeLingering(socket, { limitMs: lastTicks * tickMs })
      }
      await setTimeout(tickMs)
    }
    server.closeAllConnections()
  }
}

/** Node considers a connection busy in the same way: a response on it has not finished. */
const isAnswering = (socket: Socket & { _httpMessage?: ServerResponse | null }): boolean =>
  socket._httpMessage != null && !isClosing(socket)
