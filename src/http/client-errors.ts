import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'
import { rawFailure } from './failure-reply.ts'
import { closeLingering, isClosing } from './lingering-close.ts'

const parserCodes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Answers connections on which no request could be parsed: malformed HTTP, timeouts, overflows. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket) {
  if (isClosing(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const code = parserCodes[error.code ?? '']
  const failure = code
    ? new Failure(code)
    : new Failure('INVALID_REQUEST', { message: 'The request is not well-formed HTTP/1.1.' })
  refuse(socket, failure)
}

// Long enough for the client to read the response. Whatever it still sends is of no use.
const refusedMs = 2_000

function refuse(socket: Socket, failure: Failure) {
  socket.write(rawFailure(failure))
  closeLingering(socket, { limitMs: refusedMs })
}

/** Node would answer these requests itself, with an empty body or no response at all. */
export function answerOddRequests(server: Server) {
  server.on('checkExpectation', (_request, response) => {
    if (!response.socket) return
    const message = 'This Expect header is not supported.'
    refuse(response.socket, new Failure('INVALID_REQUEST', { message }))
  })
  server.on('connect', (_request, socket) => {
    refuse(socket as Socket, new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET' } }))
  })
}
