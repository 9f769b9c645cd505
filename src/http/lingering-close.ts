// Closes connections without losing the response. If a socket is closed while its client still
// sends, the kernel resets the connection and the reset overtakes the response: the client sees
// a broken pipe instead of a 413. We therefore send the response, close our half of the
// connection and discard what still arrives, up to a limit in bytes and time.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

// More than the largest body that is read into memory, a form of 26 MiB, so that a client within
// the limits always receives its response. Uploads of media may be larger.
const maxDiscardedBytes = 32 * 1024 * 1024

const closing = new WeakSet<Socket>()

export const isClosing = (socket: Socket): boolean => closing.has(socket)

/** Covers every connection that Node closes after a response with `Connection: close`. */
export function installLingeringClose(server: Server, options: { limitMs: number }) {
  server.on('connection', (socket: Socket) => {
    socket.destroySoon = () => closeLingering(socket, options)
  })
}

export function closeLingering(socket: Socket, { limitMs }: { limitMs: number }) {
  if (socket.destroyed || closing.has(socket)) return
  closing.add(socket)
  socket.end()
  // Stop parsing HTTP on this socket: a pipelined request must not be executed, because its
  // response could no longer be sent.
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
