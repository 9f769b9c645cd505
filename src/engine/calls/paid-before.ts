// A call over a route may be paid at one model and then fail at the next. Its failure must not look
// like one that started nothing: runs, clients and requests with an Idempotency-Key repeat those by
// themselves, and the first model would be asked, and paid, again.
import { Failure } from '#core/errors.ts'
import { attemptsHeaders, type RouteAttempt } from '#core/route.ts'
import { ProviderError } from '#providers/provider.ts'
import { StoreUnavailable } from '#store/engine-store.ts'
import { toFailure } from './provider-failure.ts'

type PaidBefore = {
  /** All of the call, also those that were paid. */
  attempts: readonly RouteAttempt[]
  /** A run that is interrupted looks into the ledger before it goes on. */
  isOfRun: boolean
}

export function failedAfterPaying(error: unknown, { attempts, isOfRun }: PaidBefore): unknown {
  const failure = failureOf(error, isOfRun)
  if (!failure) return error
  const { code, status, message, details, headers } = failure
  // With a 503 the server says that nothing was started.
  return new Failure(status === 503 ? 'PROVIDER_ERROR' : code, {
    message: `${message} The call was not repeated: a model before this one may have billed it.`,
    details: { ...details, attempts },
    headers: { ...headers, ...attemptsHeaders(attempts) },
    retryable: false,
    startedNothing: false,
    cause: failure.cause,
  })
}

function failureOf(error: unknown, isOfRun: boolean): Failure | undefined {
  if (error instanceof ProviderError) return toFailure(error)
  if (error instanceof StoreUnavailable && !isOfRun)
    return new Failure('SERVICE_UNAVAILABLE', { cause: error })
  return error instanceof Failure ? error : undefined
}
