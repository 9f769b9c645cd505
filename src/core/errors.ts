// A failure on its way to a caller. Its code, status and sentence come from the table of errors.
import { type ErrorCode, errorTable } from './error-table.ts'

export type Issue = { path: string; rule: string; message: string; code?: string; nodeId?: string }

export type FailureOptions = {
  /** Replaces the table's sentence; still written for the caller. */
  message?: string
  details?: Record<string, unknown>
  retryable?: boolean
  retryAfterSeconds?: number
  headers?: Record<string, string>
  /** Surely no provider accepted anything, so that nothing was billed. */
  startedNothing?: boolean
  cause?: unknown
}

export class Failure extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly retryable: boolean
  readonly details: Record<string, unknown> | undefined
  readonly retryAfterSeconds: number | undefined
  readonly headers: Record<string, string>
  readonly startedNothing: boolean

  constructor(code: ErrorCode, options: FailureOptions = {}) {
    const entry = errorTable[code]
    // An answer to a caller, not a bug: a trace would cost more than the whole refusal.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(options.message ?? entry.message, { cause: options.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'Failure'
    this.code = code
    this.status = entry.status
    this.retryable = options.retryable ?? entry.retryable
    this.details = options.details
    // The contract promises a Retry-After wherever waiting is what helps.
    const waitingHelps = this.retryable && (entry.status === 503 || entry.status === 429)
    this.retryAfterSeconds = options.retryAfterSeconds ?? (waitingHelps ? 1 : undefined)
    this.headers = options.headers ?? {}
    this.startedNothing = options.startedNothing ?? refusesBefore(code, entry.status)
  }
}

/** A blocked answer has the status of a refusal, but was made. */
const refusesBefore = (code: ErrorCode, status: number): boolean =>
  (status < 500 && code !== 'CONTENT_REJECTED') || status === 503

/** Details in the shape every schema failure uses. */
export const invalid = (code: ErrorCode, issues: Issue[], message?: string) =>
  new Failure(code, { details: { issues }, ...(message ? { message } : {}) })

/** Whether a caller caused this failure. Anything else is an outage, or a mistake of ours. */
export const isCallersFault = (error: unknown): boolean =>
  error instanceof Failure && error.status < 500
