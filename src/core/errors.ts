// Every failure a caller can meet, in one table: status, whether the same request may be
// repeated, and a sentence for people. Promises that no other place decides a status code.

type Row = { status: number; retryable: boolean; message: string }

export const errorTable = {
  INVALID_JSON: row(400, 'The body is not acceptable JSON.'),
  INVALID_REQUEST: row(400, 'The request does not match the schema of this operation.'),
  MODEL_NOT_FOUND: row(400, 'No enabled model has this identifier. List the models to choose one.'),
  MODEL_KIND_MISMATCH: row(400, 'This model cannot serve this operation.'),
  UNSUPPORTED_PARAMETER: row(400, 'A parameter is outside what the model can do.'),
  CONTENT_REJECTED: row(400, 'The provider refused the content.'),
  IDEMPOTENCY_KEY_REQUIRED: row(400, 'Send an Idempotency-Key header.'),
  IDEMPOTENCY_KEY_INVALID: row(400, 'An Idempotency-Key is 1 to 128 printable ASCII characters.'),
  IDEMPOTENCY_KEY_MISMATCH: row(400, 'idempotencyKey in the body differs from the header.'),
  AUTH_REQUIRED: row(401, 'Send a credential: Authorization: Bearer <ACCESS_TOKEN>.'),
  INVALID_CREDENTIAL: row(401, 'The credential is not valid.'),
  CREDENTIAL_EXPIRED: row(401, 'The credential has expired. Get a new one.'),
  INSUFFICIENT_SCOPE: row(403, 'The credential lacks the scope this operation needs.'),
  ACCOUNT_DISABLED: row(403, 'This account is disabled.'),
  SPEND_LIMIT_REACHED: row(403, 'The spend limit is reached. Raise it or wait for the next month.'),
  ORIGIN_NOT_ALLOWED: row(403, 'Requests from this origin are not allowed.'),
  ROUTE_NOT_FOUND: row(404, 'There is nothing at this address.'),
  TASK_NOT_FOUND: row(404, 'There is no such task.'),
  WORKFLOW_NOT_FOUND: row(404, 'There is no such workflow.'),
  RUN_NOT_FOUND: row(404, 'There is no such run.'),
  NODE_NOT_FOUND: row(404, 'The run has no such node.'),
  VERSION_NOT_FOUND: row(404, 'The workflow has no such version.'),
  DRAFT_NOT_FOUND: row(404, 'There is no such draft.'),
  METHOD_NOT_ALLOWED: row(405, 'This address does not take this method. See the Allow header.'),
  REQUEST_TIMEOUT: retry(408, 'The request was not received in time.'),
  IDEMPOTENCY_KEY_REUSED: row(409, 'This Idempotency-Key was used with different content.'),
  IDEMPOTENCY_IN_PROGRESS: retry(409, 'The first submission with this key is still undecided.'),
  PRECONDITION_FAILED: row(412, 'The resource has changed: If-Match names another version.'),
  PAYLOAD_TOO_LARGE: row(413, 'The body is larger than this operation takes.'),
  URI_TOO_LONG: row(414, 'The request address is too long.'),
  UNSUPPORTED_MEDIA_TYPE: row(415, 'Send the body as application/json.'),
  WORKFLOW_INVALID: row(422, 'The workflow is not acceptable.'),
  INPUT_INVALID: row(422, 'The run input is not acceptable.'),
  CALLBACK_URL_REJECTED: row(422, 'callbackUrl must be a public HTTP(S) address.'),
  UNSUPPORTED_NODES: row(422, 'An output needs a node that cannot run on this server.'),
  RATE_LIMITED: retry(429, 'Too many requests. Wait for Retry-After seconds.'),
  QUOTA_EXCEEDED: retry(429, 'A quota of this account is used up. Wait for Retry-After seconds.'),
  HEADERS_TOO_LARGE: row(431, 'The request headers are too large.'),
  OUTCOME_UNKNOWN: row(
    500,
    'It is not known whether this was done: the answer of the database was lost. Look before you repeat it.',
  ),
  INTERNAL_ERROR: row(500, 'Something went wrong on this server.'),
  PROVIDER_ERROR: retry(502, 'The provider answered with an error.'),
  SERVICE_UNAVAILABLE: retry(503, 'The service cannot take the request now. Nothing was started.'),
  PROVIDER_UNAVAILABLE: retry(503, 'The provider cannot be reached now. Nothing was started.'),
  PROVIDER_TIMEOUT: retry(504, 'The provider did not answer in time.'),
} as const satisfies Record<string, Row>

export type ErrorCode = keyof typeof errorTable

function row(status: number, message: string): Row {
  return { status, retryable: false, message }
}
function retry(status: number, message: string): Row {
  return { status, retryable: true, message }
}

export type Issue = { path: string; rule: string; message: string; code?: string; nodeId?: string }

export type FailureOptions = {
  /** Replaces the table's sentence; still written for the caller. */
  message?: string
  details?: Record<string, unknown>
  retryable?: boolean
  retryAfterSeconds?: number
  headers?: Record<string, string>
  cause?: unknown
}

export class Failure extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly retryable: boolean
  readonly details: Record<string, unknown> | undefined
  readonly retryAfterSeconds: number | undefined
  readonly headers: Record<string, string>

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
  }
}

/** Details in the shape every schema failure uses. */
export const invalid = (code: ErrorCode, issues: Issue[], message?: string) =>
  new Failure(code, { details: { issues }, ...(message ? { message } : {}) })
