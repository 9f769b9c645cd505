// How a connection ends. A socket that is closed while its client still sends is reset by the
// kernel, and the reset overtakes the answer: the client sees a broken pipe instead of a 413.
// So the answer and the end of our side go first; what still comes is discarded, within bounds.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

// More than the largest body an operation takes (10 MiB): who keeps to that hears every answer.
const maxDiscardedBytes = 16 * 1024 * 1024

const leaving = new WeakSet<Socket>()

export const isLeaving = (socket: Socket): boolean => leaving.has(socket)

/** Applies to every connection that Node would end itself, after an answer that says `close`. */
export function installLingeringClose(server: Server, options: { limitMs: number }) {
  server.on('connection', (socket: Socket) => {
    socket.destroySoon = () => closeLingering(socket, options)
  })
}

export function closeLingering(socket: Socket, { limitMs }: { limitMs: number }) {
  if (socket.destroyed || leaving.has(socket)) return
  leaving.add(socket)
  socket.end()
  // Nothing that comes now is read as HTTP: a pipelined request must not be carried out, since
  // it could not be answered.
  socket.removeAllListeners('data')
  let bytesLeft = maxDiscardedBytes
  socket.on('data', (chunk: Buffer) => {
    bytesLeft -= chunk.length
    if (bytesLeft < 0) socket.destroy()
  })
  const timer = setTimeout(() => socket.destroy(), limitMs)
  socket.once('close', () => clearTimeout(timer))
  socket.resume()
}
