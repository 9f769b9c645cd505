import { randomBytes } from 'node:crypto'
import type { FastifyError, FastifyReply } from 'fastify'
import type { ErrorCode } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'
import { PayloadGone } from '#core/payload-text.ts'

export type FailureBody = {
  success: false
  error: { code: ErrorCode; message: string; retryable: boolean; details?: object }
}

export function failureBody(failure: Failure, requestId: string): FailureBody {
  const details = failure.status >= 500 ? { ...failure.details, requestId } : failure.details
  return {
    success: false,
    error: {
      code: failure.code,
      message: failure.message,
      retryable: failure.retryable,
      ...(details ? { details } : {}),
    },
  }
}

const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'INVALID_REQUEST',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'INVALID_JSON',
  FST_ERR_BAD_URL: 'INVALID_REQUEST',
  FST_ERR_MAX_PARAM_LENGTH: 'INVALID_REQUEST',
}

/** The facts about the failed operation that decide what the caller is advised to do. */
export type Failing = { repeatable: boolean; ifUnknown?: string | undefined }

/** Turns anything thrown into a Failure; an error we did not expect becomes INTERNAL_ERROR. */
export function toFailure(error: unknown, options: Failing): Failure {
  if (error instanceof Failure) return error
  const known = frameworkCodes[(error as Partial<FastifyError>)?.code ?? '']
  if (known) return new Failure(known)
  if (error instanceof PayloadGone) {
    const message = 'A value of this record is no longer stored: it has expired, or was lost.'
    return new Failure('RECORD_NOT_FOUND', { message, cause: error })
  }
  const { name } = (error ?? {}) as { name?: string }
  if (name === 'CommitUnknown') return outcomeUnknown(options, error)
  if (name === 'StoreUnavailable' || name === 'BlobsUnavailable') {
    return new Failure('SERVICE_UNAVAILABLE', { cause: error, retryAfterSeconds: 1 })
  }
  return new Failure('INTERNAL_ERROR', { cause: error, retryable: options.repeatable })
}

/** The operation may or may not have been committed; the message says how to find out. */
export function outcomeUnknown({ repeatable, ifUnknown }: Failing, cause?: unknown): Failure {
  const advice =
    ifUnknown ??
    (repeatable
      ? 'Sending the same request again does no harm.'
      : 'Check whether it happened before you repeat it.')
  const message = `It is not known whether this was done: the database's reply was lost. ${advice}`
  return new Failure('OUTCOME_UNKNOWN', { message, cause })
}

export function sendFailure(reply: FastifyReply, failure: Failure, requestId: string) {
  for (const [name, value] of Object.entries(failure.headers)) reply.header(name, value)
  if (failure.retryAfterSeconds !== undefined)
    reply.header('Retry-After', failure.retryAfterSeconds)
  return reply
    .code(failure.status)
    .header('Content-Type', 'application/json; charset=utf-8')
    .send(JSON.stringify(failureBody(failure, requestId)))
}

// Not imported: an import evaluates all exports of node:http, and one of them loads a WebSocket
// client, which would make each start 40 ms slower.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** The same response as raw HTTP, for a socket on which no request could be parsed. */
export function rawFailure(failure: Failure): string {
  const requestId = newRequestId()
  const body = JSON.stringify(failureBody(failure, requestId))
  const head = [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    ...Object.entries(failure.headers).map(([name, value]) => `${name}: ${value}`),
    ...(failure.retryAfterSeconds === undefined
      ? []
      : [`Retry-After: ${failure.retryAfterSeconds}`]),
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

const processPrefix = randomBytes(6).toString('base64url')
let counter = 0

/** A random prefix per process and a counter: unique without drawing random bytes per request. */
export const newRequestId = (): string => `req_${processPrefix}_${(++counter).toString(36)}`
