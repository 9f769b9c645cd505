import { type ErrorCode, errorTable } from '#core/error-table.ts'
import type { Failure, Issue } from '#core/errors.ts'

export type ErrorAnswer = {
  error: { message: string; type: string; param: string | null; code: string }
}

/** Codes of OpenAI that clients act on: they shorten the conversation, or send it whole. */
const vendorCodes: readonly unknown[] = ['context_length_exceeded', 'previous_response_not_found']

/** Our code and message in OpenAI's error format. */
export const errorAnswer = (failure: Failure): ErrorAnswer => ({
  error: {
    message: failure.message,
    type: typeOf(failure),
    param: paramOf(failure),
    code: vendorCodes.includes(failure.details?.reason)
      ? String(failure.details?.reason)
      : failure.code,
  },
})

/** OpenAI's API answers 404 for an unknown model. */
export const statusOf = ({ code, status }: Failure): number =>
  code === 'MODEL_NOT_FOUND' ? 404 : status

/** Errors of requests that were refused before any work began. */
const refusedBeforeWork: ReadonlySet<ErrorCode> = new Set([
  'RATE_LIMITED',
  'QUOTA_EXCEEDED',
  'SERVICE_UNAVAILABLE',
  'PROVIDER_UNAVAILABLE',
  'REQUEST_TIMEOUT',
  // The same key and body find the answer of the first, which is paid once.
  'IDEMPOTENCY_IN_PROGRESS',
])

/**
 * OpenAI's clients retry a failed POST by themselves unless told otherwise. A call that may have
 * been made may also have been billed, so the caller decides whether to pay again.
 */
export const mayRepeatUnasked = ({ code }: Failure): boolean => refusedBeforeWork.has(code)

function typeOf({ code, status }: Failure): string {
  if (code === 'SPEND_LIMIT_REACHED' || code === 'QUOTA_EXCEEDED') return 'insufficient_quota'
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return errorTable[code].status >= 500 ? 'server_error' : 'invalid_request_error'
}

/** Parameters of the native API that have another name here. */
const spelled: Record<string, string> = {
  maxTokens: 'max_completion_tokens',
  reasoningEffort: 'reasoning_effort',
}

function paramOf({ details }: Failure): string | null {
  if (typeof details?.param === 'string') return details.param || null
  const [issue] = (details?.issues as Issue[] | undefined) ?? []
  const name = issue?.path.slice(1)
  return name ? (spelled[name] ?? name) : null
}
