// The end of serving: requests in flight finish, newcomers are answered with 503, and no
// connection is reset while anything it sent may be unread.
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { closeLingering, isLeaving } from './lingering-close.ts'

// Connections that were accepted but have sent nothing yet get about a second for their request.
// Counted in ticks: in each the event loop has read what came, however slow the machine is.
const lastTicks = 100
// Short against any stop, long against the time a request takes from a socket into a handler.
const tickMs = 10

/** Watches the connections of a server from its start. The function it returns ends them. */
export function prepareDrain(server: Server): (limitMs: number) => Promise<void> {
  /** Bytes that had been read from each when it was last looked at. */
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
    while (isInTime() && [...open.keys()].some(isAnswering)) await setTimeout(tickMs)
    // Closing the port resets connections that wait to be accepted. The event loop accepts at
    // least one per turn, so a turn without any shows that none waits.
    let acceptedBefore = -1
    while (isInTime() && accepted !== acceptedBefore) {
      acceptedBefore = accepted
      await setImmediate()
    }
    // The close of an HTTP server would destroy idle connections, whatever they have just sent.
    NetServer.prototype.close.call(server)
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

/** Node's own test of a busy connection: it carries a response that is not finished. */
const isAnswering = (socket: Socket & { _httpMessage?: ServerResponse | null }): boolean =>
  socket._httpMessage != null && !isLeaving(socket)
