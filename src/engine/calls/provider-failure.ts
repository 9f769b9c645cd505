import { toRfc3339 } from '#core/clock.ts'
import { type ErrorCode, errorTable, type WorkErrorCode } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'
import { attemptsHeaders, type RouteAttempt } from '#core/route.ts'
import { ProviderError, type ProviderErrorKind } from '#providers/provider.ts'

/** The error of a failed task, as its record stores it. */
export type TaskError = { code: WorkErrorCode; message: string; retryable: boolean }

const codes: Record<ProviderErrorKind, ErrorCode> = {
  busy: 'PROVIDER_UNAVAILABLE',
  unreachable: 'PROVIDER_UNAVAILABLE',
  timeout: 'PROVIDER_TIMEOUT',
  auth: 'PROVIDER_ERROR',
  // What the caller sent is at fault, so it is the caller's error.
  invalid: 'INVALID_REQUEST',
  content: 'CONTENT_REJECTED',
  server: 'PROVIDER_ERROR',
  protocol: 'PROVIDER_ERROR',
  canceled: 'PROVIDER_ERROR',
  not_found: 'PROVIDER_ERROR',
}

const permanent: ReadonlySet<ProviderErrorKind> = new Set([
  'auth',
  'not_found',
  'invalid',
  'content',
])

/** Adapters throw only ProviderErrors unless they have a bug; then it is unknown what was sent. */
export const asProviderError = (thrown: unknown): ProviderError =>
  thrown instanceof ProviderError
    ? thrown
    : new ProviderError('protocol', {
        outcome: 'unknown',
        message: 'the adapter failed',
        cause: thrown,
      })

/** PROVIDER_UNAVAILABLE promises that nothing was started, so an unknown outcome never has it. */
export function toFailure(error: ProviderError): Failure {
  const wasStarted = error.outcome === 'unknown' && codes[error.kind] === 'PROVIDER_UNAVAILABLE'
  const code = wasStarted ? 'PROVIDER_ERROR' : codes[error.kind]
  const retryable = errorTable[code].retryable && !permanent.has(error.kind)
  return new Failure(code, {
    message: error.isContextOverflow ? `${tooLong} ${error.message}` : error.message,
    retryable,
    cause: error,
    headers: attemptsHeaders(error.attempts),
    startedNothing: error.outcome !== 'unknown',
    ...detailsOf(error),
    ...(code === 'PROVIDER_UNAVAILABLE' || error.retryAfterMs !== undefined
      ? { retryAfterSeconds: Math.max(1, Math.ceil((error.retryAfterMs ?? 1000) / 1000)) }
      : {}),
  })
}

const tooLong = "The input does not fit into the model's context window."

function detailsOf({ param, isContextOverflow, attempts }: ProviderError) {
  const details = {
    ...(isContextOverflow ? { reason: 'context_length_exceeded' } : {}),
    ...(param === undefined || isContextOverflow ? {} : { param }),
    ...(attempts ? { attempts } : {}),
  }
  return Object.keys(details).length > 0 ? { details } : {}
}

/** May the same call be made again, here or at another provider, without paying twice? */
export const isSafeToRepeat = (error: ProviderError): boolean =>
  error.outcome !== 'unknown' && !permanent.has(error.kind)

/** With that status vendors also say that an account is used up, which no waiting changes. */
export const isRateLimit = ({ status, kind, outcome }: ProviderError): boolean =>
  status === 429 && kind === 'busy' && outcome === 'rejected'

export function toTaskError(error: ProviderError): TaskError {
  const { code, message, retryable } = toFailure(error)
  return { code, message, retryable }
}

/** What is asked to wait longer fails instead of holding its place, and says until when. */
export const longestWaitMs = 60_000

/** `untilMs`: when the provider may be asked again. */
export const tooLongAWait = (error: TaskError, untilMs: number): TaskError => ({
  ...error,
  message: `${error.message} The provider asks to wait until ${toRfc3339(untilMs)}: retry then.`,
  retryable: true,
})

export const outcomeUnknown: TaskError = {
  code: 'PROVIDER_OUTCOME_UNKNOWN',
  message:
    'The answer to the submission was lost. The provider may have accepted and billed it, so it was not repeated.',
  retryable: false,
}

/** So that whoever answers the caller can say who was asked. */
export function withAttempts(error: unknown, attempts: readonly RouteAttempt[]): unknown {
  if (error instanceof ProviderError && attempts.length > 0) error.attempts = attempts
  return error
}

/** Says which key was refused, so that nobody looks for it among the others. */
export function namingKey(error: unknown, key: string): unknown {
  if (!(error instanceof ProviderError) || error.kind !== 'auth') return error
  const { outcome, retryAfterMs, status, billed, param } = error
  const message = `${error.message} (${key})`
  const details = { outcome, retryAfterMs, status, billed, param, cause: error }
  return new ProviderError('auth', { ...details, message })
}
