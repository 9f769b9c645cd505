import { isRecord } from '#core/record.ts'
import { parseJson, textOf } from '#providers/json-shape.ts'
import type { ProviderError, ProviderErrorKind } from '#providers/provider.ts'
import { refusalError } from '#providers/refusal.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'

/** Errors are named in a header; their body has a message only. */
export function refusal(upstream: Upstream, answer: Answer): ProviderError {
  const json = parseJson(answer.body)
  const said = isRecord(json) ? json : {}
  const message = textOf(said.message) ?? textOf(said.Message)
  const type = textOf(answer.headers['x-amzn-errortype'])?.split(':')[0] ?? ''
  // The model had begun, so that it may have been billed: no refusal, although it is a 4xx.
  const hasBegun = type === 'ModelErrorException' || answer.status === 424
  return refusalError(upstream, hasBegun ? { ...answer, status: 500 } : answer, {
    message,
    kind: kindOfError(type, message ?? ''),
    isSynchronous: true,
  })
}

/** By the name of the error; the first letter is small in streams. */
export function kindOfError(type: string, message: string): ProviderErrorKind | undefined {
  switch (type.replace(/^[a-z]/, (letter) => letter.toUpperCase())) {
    case 'ThrottlingException':
    case 'TooManyRequestsException':
    case 'ModelNotReadyException':
    case 'ServiceUnavailableException':
      return 'busy'
    case 'AccessDeniedException':
    case 'UnrecognizedClientException':
    case 'ExpiredTokenException':
    case 'InvalidSignatureException':
      return 'auth'
    case 'ResourceNotFoundException':
      return 'not_found'
    case 'ModelTimeoutException':
      return 'timeout'
    case 'ValidationException':
      return /content filtering policy/i.test(message) ? 'content' : 'invalid'
    default:
      return undefined
  }
}
