import type { ErrorCode } from './error-codes.ts'

/** What the client itself can find wrong, besides what the server answers. */
type ClientCode =
  /** No connection could be made: nothing was sent. */
  | 'UNREACHABLE'
  /** The connection broke, or no whole answer came in time. */
  | 'CONNECTION_LOST'
  /** As above, or the server failed, and the call may have been carried out: do not repeat it. */
  | 'OUTCOME_UNKNOWN'
  /** Redirects are never followed, so that the key stays where it belongs. */
  | 'REDIRECT_REFUSED'
  /** The answer is not one of this API. */
  | 'INVALID_ANSWER'

/** A generation that was sent and not acknowledged; `tasks.recover` looks for it. */
export type LostSubmission = { kind: 'IMAGE' | 'VIDEO'; model: string; sentAtMs: number }

/** What the caller needs to go on after a failure. */
export type About = {
  idempotencyKey?: string
  runId?: string
  submission?: LostSubmission
}

type Facts = {
  // Codes of newer servers are allowed and known ones are completed by editors.
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
  /** Of the answer; 0 where there was none. */
  readonly status: number
  /** Whether the same call may be repeated. */
  readonly retryable: boolean
  readonly details: unknown
  readonly requestId: string | undefined
  /** How long the server asks to wait before the call is repeated. */
  declare readonly retryAfterSeconds?: number
  /** Of a run submission: repeat with this key and no second run is made. */
  declare readonly idempotencyKey?: string
  /** Of a run that was submitted and is being waited for. */
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
