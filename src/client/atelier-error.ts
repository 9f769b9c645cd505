import type { ErrorCode } from './error-codes.ts'

/** Errors of the client itself; all other codes come from the server. */
type ClientCode =
  /** No connection could be made, so nothing was sent. */
  | 'UNREACHABLE'
  /** The connection broke, or no complete response arrived in time. */
  | 'CONNECTION_LOST'
  /** The response was lost or the server failed. The call may have been executed: do not repeat. */
  | 'OUTCOME_UNKNOWN'
  /** The client follows no redirects, so that the key never reaches another server. */
  | 'REDIRECT_REFUSED'
  /** The response is not one of this API. */
  | 'INVALID_ANSWER'

/** A generation that was sent but not acknowledged; `tasks.recover` searches for it. */
export type LostSubmission = { kind: 'IMAGE' | 'VIDEO'; model: string; sentAtMs: number }

/** What the caller needs in order to continue after a failure. */
export type About = {
  idempotencyKey?: string
  runId?: string
  submission?: LostSubmission
}

type Facts = {
  // Any string is allowed, for codes of newer servers, while editors still suggest known codes.
  code: ErrorCode | ClientCode | (string & {})
  message: string
  status?: number
  retryable?: boolean
  details?: unknown
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

export class AtelierError extends Error {
  readonly code: Facts['code']
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number
  /** Whether the same call may be repeated. */
  readonly retryable: boolean
  readonly details: unknown
  readonly requestId: string | undefined
  /** How long the server asks to wait before the call is repeated. */
  declare readonly retryAfterSeconds?: number
  /** For a run submission: repeating it with this key never starts a second run. */
  declare readonly idempotencyKey?: string
  /** The run that was submitted, if the failure happened while waiting for it. */
  declare readonly runId?: string
  declare readonly submission?: LostSubmission

  constructor(facts: Facts, about: About = {}) {
    super(facts.message, 'cause' in facts ? { cause: facts.cause } : {})
    this.name = 'AtelierError'
    this.code = facts.code
    this.status = facts.status ?? 0
    this.retryable = facts.retryable ?? false
    this.details = facts.details
    this.requestId = facts.requestId
    const { retryAfterSeconds } = facts
    Object.assign(this, retryAfterSeconds === undefined ? {} : { retryAfterSeconds }, about)
  }
}
