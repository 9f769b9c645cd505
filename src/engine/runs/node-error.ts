import { LongDelay } from '#core/delayed-call.ts'
import { errorTable, type WorkErrorCode } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'
import type { NodeError } from '#core/run-facts.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import { MediaTooLarge } from '#media/blob-store.ts'
import { MediaTypeRefused } from '#media/sniff.ts'
import { DataUrlError } from '#outbound/data-url.ts'
import { OutboundFailed, OutboundRefused } from '#outbound/outbound-errors.ts'
import { ProviderError } from '#providers/provider.ts'
import { outcomeUnknown } from '../calls/provider-failure.ts'

/** A failure whose error is stored unchanged. */
export class StepFailure extends Error {
  readonly error: NodeError
  constructor(error: NodeError, cause?: unknown) {
    super(error.message, { cause })
    this.name = 'StepFailure'
    this.error = error
  }
}

export const outcomeLost = (cause?: unknown) => new StepFailure(outcomeUnknown, cause)

/** Undefined for an unexpected error: it is logged, and callers see a general message instead. */
export function toNodeError(error: unknown): NodeError | undefined {
  if (error instanceof StepFailure) return error.error
  if (error instanceof NodeFailure) return withCode(error.code, error)
  if (error instanceof LongDelay)
    return { ...withCode('PROVIDER_UNAVAILABLE', error), retryable: true }
  if (error instanceof OutboundRefused) return withCode('ADDRESS_BLOCKED', error)
  if (error instanceof MediaTooLarge) return withCode('RESPONSE_TOO_LARGE', error)
  if (error instanceof MediaTypeRefused || error instanceof DataUrlError) {
    return withCode('TYPE_MISMATCH', error)
  }
  if (error instanceof OutboundFailed) return withCode(outboundCode(error.kind), error)
  if (!(error instanceof Failure)) return undefined
  if (isOwnTimeLimit(error.cause)) return timeLimit(error.message)
  const { cause } = error
  const isLost = cause instanceof ProviderError && cause.outcome === 'unknown' && !cause.isFree
  if (isLost) return { ...outcomeUnknown, message: `${outcomeUnknown.message} (${error.message})` }
  return { code: error.code, message: error.message, retryable: error.retryable }
}

const outboundCode = (kind: OutboundFailed['kind']): WorkErrorCode =>
  kind === 'too_large' ? 'RESPONSE_TOO_LARGE' : kind === 'timeout' ? 'NODE_TIMEOUT' : 'HTTP_FAILED'

/** A time limit that the provider itself reports has a status. */
const isOwnTimeLimit = (cause: unknown) =>
  cause instanceof ProviderError && cause.kind === 'timeout' && cause.status === undefined

export const timeLimit = (reason: string): NodeError => ({
  code: 'NODE_TIMEOUT',
  message: `The time limit of the node passed; what it called may still finish and be billed. (${reason})`,
  retryable: true,
})

const withCode = (code: WorkErrorCode, { message }: Error): NodeError => ({
  code,
  message,
  retryable: false,
})

export const unforeseen: NodeError = {
  code: 'INTERNAL_ERROR',
  message: errorTable.INTERNAL_ERROR.message,
  retryable: true,
}
