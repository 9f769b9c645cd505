import { type Server, request as sendRequest } from 'node:http'
import { duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { markOwn } from '#http/own-connections.ts'
import type { RouteCall } from './route-call.ts'

/**
 * Sends requests to our own server over an in-memory connection. Every rule of the routes applies,
 * including limits per address, and a disconnect is noticed as on a real socket.
 */
export const callOwnRoutes =
  (server: Server): RouteCall =>
  ({ method, path, headers, body, address, signal }) =>
    new Promise((resolve, reject) => {
      const [ours, theirs] = duplexPair()
      Object.defineProperty(theirs, 'remoteAddress', { value: address })
      markOwn(theirs)
      server.emit('connection', theirs)
      const request = sendRequest({
        method,
        path,
        headers: { ...sendable(headers), host: 'localhost', connection: 'close' },
        createConnection: () => ours,
        signal,
      })
      request.once('error', reject)
      request.once('response', (response) => {
        const { statusCode = 0, headers } = response
        text(response).then(
          (body) =>
            resolve({ status: statusCode, headers: headers as Record<string, string>, body }),
          reject,
        )
      })
      request.end(body)
    })

/** Replaces characters that a header cannot hold by one that every route refuses with a message. */
const sendable = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(/[^\x20-\x7e]/g, '\u0080'),
    ]),
  )
