import type { Failure } from '#core/errors.ts'

/** Our message and code in Anthropic's error format. `code` is our addition; clients ignore it. */
export const errorAnswer = (failure: Failure, requestId: string) => ({
  type: 'error' as const,
  error: {
    type: typeOf(failure),
    message: messageOf(failure),
    code: failure.code,
    ...(failure.details?.vendor ? { details: failure.details.vendor } : {}),
  },
  request_id: requestId,
})

/** Clients shorten the conversation when a message begins like Anthropic's own. */
const messageOf = ({ message, details }: Failure): string =>
  details?.reason === 'context_length_exceeded' ? `prompt is too long: ${message}` : message

/** Anthropic's API answers 404 for an unknown model. */
export const statusOf = ({ code, status }: Failure): number =>
  code === 'MODEL_NOT_FOUND' ? 404 : status

const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

function typeOf(failure: Failure): string {
  if (failure.code === 'SPEND_LIMIT_REACHED') return 'billing_error'
  const status = statusOf(failure)
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}
