import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, Failure } from '#core/errors.ts'
import { rawFailure } from './failure-reply.ts'

const parserCodes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Answers what never became a request: broken HTTP, time-outs, overflows. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const code = parserCodes[error.code ?? '']
  const failure = code
    ? new Failure(code)
    : new Failure('INVALID_REQUEST', { message: 'The request is not well-formed HTTP/1.1.' })
  socket.end(rawFailure(failure), () => socket.destroy())
}

/** Cases Node would otherwise answer by itself, with an empty body or none. */
export function answerOddRequests(server: Server) {
  server.on('checkExpectation', (_request, response) => {
    response.socket?.end(
      rawFailure(
        new Failure('INVALID_REQUEST', { message: 'This Expect header is not supported.' }),
      ),
    )
  })
  server.on('connect', (_request, socket) => {
    socket.end(rawFailure(new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET' } })))
  })
}
