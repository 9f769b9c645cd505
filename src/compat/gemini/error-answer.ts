import type { Failure } from '#core/errors.ts'

const domain = 'atelier'
const typeUrl = 'type.googleapis.com/google.rpc.'

/** Google's API answers 404 for an unknown model. */
export const statusOf = ({ code, status }: Failure): number =>
  code === 'MODEL_NOT_FOUND' ? 404 : status

/** Google's names of the statuses that this server answers with. */
const names: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

const nameOf = (status: number): string =>
  names[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')

/** Our message in Google's error format; `reason` is our code. */
export function errorAnswer(failure: Failure, requestId: string): { error: object } {
  const code = statusOf(failure)
  return {
    error: {
      code,
      message: messageOf(failure),
      status: nameOf(code),
      details: detailsOf(failure, requestId),
    },
  }
}

/** Clients shorten the conversation when a message says this as Google does. */
const messageOf = ({ message, details }: Failure): string =>
  details?.reason === 'context_length_exceeded'
    ? `The input token count exceeds the maximum number of tokens allowed: ${message}`
    : message

function detailsOf(failure: Failure, requestId: string): object[] {
  const { code: reason, message, details, retryAfterSeconds } = failure
  const all: object[] = [
    { '@type': `${typeUrl}ErrorInfo`, reason, domain },
    { '@type': `${typeUrl}RequestInfo`, requestId },
  ]
  if (typeof details?.param === 'string' && details.param !== '') {
    const fieldViolations = [{ field: details.param, description: message }]
    all.push({ '@type': `${typeUrl}BadRequest`, fieldViolations })
  }
  if (retryAfterSeconds !== undefined) {
    all.push({ '@type': `${typeUrl}RetryInfo`, retryDelay: `${retryAfterSeconds}s` })
  }
  return all
}
