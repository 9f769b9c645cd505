import type { ErrorCode } from './error-codes.ts'

/** Codes that the client itself produces; all others come from the server. */
type ClientCode =
  /** No connection could be made, so nothing was sent. Browsers report CONNECTION_LOST instead. */
  | 'UNREACHABLE'
  /** The connection broke, or no complete response arrived in time. */
  | 'CONNECTION_LOST'
  /** The response was lost or the server failed, and repeating the call could execute it twice. */
  | 'OUTCOME_UNKNOWN'
  /** The server redirects. The client never follows, so that the key reaches no other server. */
  | 'REDIRECT_REFUSED'
  /** The response is not from this API: a proxy answered, or `baseUrl` is wrong. */
  | 'INVALID_ANSWER'

/** The image or video generation that failed; `tasks.recover` searches for its task. */
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

/**
 * Every failure of a call is an AtelierError, except an abort, which rejects with the reason of the
 * signal, and an invalid argument, which is a TypeError.
 */
export class AtelierError extends Error {
  /** Stable, unlike `message`: decide by this. */
  readonly code: Facts['code']
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number
  /** Whether the same call may be repeated. */
  readonly retryable: boolean
  /** What exactly was wrong, for example the invalid fields. The shape depends on `code`. */
  readonly details: unknown
  /** The server's identifier of the request, for bug reports. */
  readonly requestId: string | undefined
  /** How long the server asks you to wait before you repeat the call. */
  declare readonly retryAfterSeconds?: number
  /** For a run submission: pass it when you repeat the submission, so that no second run starts. */
  declare readonly idempotencyKey?: string
  /** The run that was submitted, if waiting for it failed. */
  declare readonly runId?: string
  /** For an image or video generation: what `tasks.recover` searches for. */
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
