// Every failure a caller can meet: its HTTP status, whether a retry may help, and a sentence for
// people. Rows without a status appear only in records: in `nodeErrors` of a run and in the `error`
// of a task. No other place decides a status code.

type RequestRow = { status: number; retryable: boolean; message: string }
type RecordRow = { status?: never; retryable: boolean; message: string }

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
  SIGNATURE_INVALID: row(401, 'The request is not signed as this address expects.'),
  INVALID_CREDENTIAL: row(401, 'The credential is not valid.'),
  CODE_REQUIRED: row(401, 'Send the code of your authenticator app too, or a recovery code.'),
  CREDENTIAL_EXPIRED: row(401, 'The credential has expired. Get a new one.'),
  INSUFFICIENT_SCOPE: row(403, 'The credential lacks the scope this operation needs.'),
  INSUFFICIENT_ROLE: row(403, 'Your role in this account does not allow this.'),
  ACCOUNT_DISABLED: row(403, 'This account is disabled.'),
  SPEND_LIMIT_REACHED: row(403, 'The spend limit is reached. Raise it or wait for the next month.'),
  NOT_AN_APPROVER: row(403, 'You may not answer this: the workflow says who may.'),
  UNPRICED_MODEL: row(
    403,
    'The price of the model is not known, so no limit could hold. Set a stand-in price for it, or use another model.',
  ),
  ORIGIN_NOT_ALLOWED: row(403, 'Requests from this origin are not allowed.'),
  ROUTE_NOT_FOUND: row(404, 'There is nothing at this address.'),
  TASK_NOT_FOUND: row(404, 'There is no such task.'),
  CALL_NOT_FOUND: row(404, 'There is no such call whose outcome is unknown.'),
  WORKFLOW_NOT_FOUND: row(404, 'There is no such workflow.'),
  RUN_NOT_FOUND: row(404, 'There is no such run.'),
  WAIT_NOT_FOUND: row(404, 'The run waits for no such answer.'),
  NODE_NOT_FOUND: row(404, 'The run has no such node.'),
  VERSION_NOT_FOUND: row(404, 'The workflow has no such version.'),
  DRAFT_NOT_FOUND: row(404, 'There is no such draft.'),
  TRIGGER_NOT_FOUND: row(404, 'There is no such trigger.'),
  RECORD_NOT_FOUND: row(404, 'There is no such record.'),
  METHOD_NOT_ALLOWED: row(405, 'This address does not support this method. See the Allow header.'),
  REQUEST_TIMEOUT: retry(408, 'The request was not received in time.'),
  IDEMPOTENCY_KEY_REUSED: row(409, 'This Idempotency-Key was used with different content.'),
  IDEMPOTENCY_IN_PROGRESS: retry(409, 'The first submission with this key is still undecided.'),
  LAST_OWNER: row(
    409,
    'An account always has an owner who can sign in. Make somebody else an owner first.',
  ),
  WAIT_ALREADY_ANSWERED: row(409, 'Somebody has already answered this. The details say who.'),
  WAIT_EXPIRED: row(409, 'The time to answer this has passed.'),
  WAIT_CANCELLED: row(409, 'The run no longer waits for this: it failed, was cancelled or ended.'),
  TRIGGER_GONE: row(410, 'The trigger of this address was deleted.'),
  PRECONDITION_FAILED: row(412, 'The resource has changed: If-Match names another version.'),
  PAYLOAD_TOO_LARGE: row(413, 'The body is larger than this operation accepts.'),
  URI_TOO_LONG: row(414, 'The request address is too long.'),
  UNSUPPORTED_MEDIA_TYPE: row(415, 'Send the body as application/json.'),
  WORKFLOW_INVALID: row(422, 'The workflow is not acceptable.'),
  TRIGGER_INVALID: row(422, 'The trigger is not acceptable.'),
  INPUT_INVALID: row(422, 'The run input is not acceptable.'),
  TAG_INVALID: row(
    422,
    'A tag has 1 to 64 letters, digits or the signs . _ : / @ -, and begins with a letter or digit.',
  ),
  ANSWER_INVALID: row(422, 'The answer does not fit what is asked. It can be sent again.'),
  CALLBACK_URL_REJECTED: row(422, 'callbackUrl must be a public HTTP(S) address.'),
  UNSUPPORTED_NODES: row(422, 'An output needs a node that cannot run on this server.'),
  RATE_LIMITED: retry(429, 'Too many requests. Wait for Retry-After seconds.'),
  QUOTA_EXCEEDED: retry(429, 'A quota of this account is used up. Wait for Retry-After seconds.'),
  HEADERS_TOO_LARGE: row(431, 'The request headers are too large.'),
  OUTCOME_UNKNOWN: row(
    500,
    "It is not known whether this was done: the database's reply was lost. Check whether it happened before you repeat it.",
  ),
  INTERNAL_ERROR: row(500, 'Something went wrong on this server.'),
  EMPTY_ANSWER: row(
    502,
    'The model ended its answer without any text. The call was billed, so it was not repeated.',
  ),
  PROVIDER_ERROR: retry(502, 'The provider answered with an error.'),
  SERVICE_UNAVAILABLE: retry(
    503,
    'The service cannot accept the request right now. Nothing was started.',
  ),
  TRIGGER_PAUSED: retry(503, 'The trigger is switched off or paused. Nothing was started.'),
  PROVIDER_UNAVAILABLE: retry(
    503,
    'The provider cannot be reached right now. Nothing was started.',
  ),
  PROVIDER_TIMEOUT: retry(504, 'The provider did not answer in time.'),
  TYPE_MISMATCH: recorded('A value is not of the type the port, schema or model needs.'),
  TOO_DEEP: recorded('A value is nested more than 64 levels deep.'),
  EXPRESSION_ERROR: recorded('An expression failed.'),
  EXPRESSION_LIMIT: recorded(
    'An expression used up its processor time or memory, or a value is too large.',
  ),
  HTTP_FAILED: recorded('A request failed, or its response was not usable.'),
  ADDRESS_BLOCKED: recorded('The policy for outgoing requests refused an address.'),
  CREDENTIAL_NOT_FOUND: recorded('The account has no credential of this name.'),
  CREDENTIAL_NOT_ALLOWED: recorded(
    'A credential may not be used here: its kind, its provider or its hosts forbid it.',
  ),
  RESPONSE_TOO_LARGE: recorded('An answer is larger than allowed.'),
  ITEM_LIMIT: recorded('A list has more items than the node accepts.'),
  ITERATION_LIMIT: recorded('A loop did not end within the passes it may take.'),
  SUBWORKFLOW_FAILED: recorded('A called workflow failed; the message names its node and code.'),
  NODE_TIMEOUT: recordedRetry('The time limit of the node passed.'),
  RUN_TIMEOUT: recordedRetry(
    'The time limit of the run passed, or it waited too long for its turn.',
  ),
  COST_LIMIT_REACHED: recorded('The next call could have exceeded maxCost, so it was not made.'),
  PROVIDER_OUTCOME_UNKNOWN: recorded(
    'The answer of a provider was lost; it may have been billed, so it was not repeated.',
  ),
  QUARANTINED: recorded(
    'No worker could continue the run or task; it was stopped after several attempts.',
  ),
} as const satisfies Record<string, RequestRow | RecordRow>

type Table = typeof errorTable
/** What a task or a node of a run may fail with. */
export type WorkErrorCode = keyof Table
/** What a request may be answered with. */
export type ErrorCode = {
  [Code in WorkErrorCode]: Table[Code] extends RequestRow ? Code : never
}[WorkErrorCode]

/** Whether a request may be answered with this code; the others appear only in records. */
export const isRequestError = (code: WorkErrorCode): code is ErrorCode =>
  errorTable[code].status !== undefined
const codes = Object.keys(errorTable) as WorkErrorCode[]
export const requestErrorCodes: readonly ErrorCode[] = codes.filter(isRequestError)
export const recordErrorCodes = codes.filter((code) => !isRequestError(code))

function row(status: number, message: string): RequestRow {
  return { status, retryable: false, message }
}
function retry(status: number, message: string): RequestRow {
  return { status, retryable: true, message }
}
function recorded(message: string): RecordRow {
  return { retryable: false, message }
}
function recordedRetry(message: string): RecordRow {
  return { retryable: true, message }
}
