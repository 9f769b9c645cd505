import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'
import { rawFailure } from './failure-reply.ts'
import { closeLingering, isLeaving } from './lingering-close.ts'

const parserCodes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Answers what never became a request: broken HTTP, time-outs, overflows. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket) {
  if (isLeaving(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const code = parserCodes[error.code ?? '']
  const failure = code
    ? new Failure(code)
    : new Failure('INVALID_REQUEST', { message: 'The request is not well-formed HTTP/1.1.' })
  refuse(socket, failure)
}

// Long enough for the answer to be read; nothing of such a client is worth waiting for.
const refusedMs = 2_000

function refuse(socket: Socket, failure: Failure) {
  socket.write(rawFailure(failure))
  closeLingering(socket, { limitMs: refusedMs })
}

/** Cases Node would otherwise answer by itself, with an empty body or none. */
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
