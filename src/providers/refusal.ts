// Turns an error answer into a ProviderError: its kind, its outcome and when to try again. The
// provider's text is shortened, and keys in it are redacted.
//
// Outcome by status. "Rejected" requires that the provider documents that no work was begun:
//   400–499      rejected   the provider says it did not accept the request (408, 499: unknown)
//   429          rejected   every provider documents it as refused before work begins
//   503, 529     unknown    except, as `rejectedWhenBusy`, where a synchronous API documents it
//                           as an overload refusal and leaves no job behind:
//                             Anthropic 529 overloaded_error
//                             OpenAI and compatible chat 503 with an error object
//                             Gemini generateContent 503 UNAVAILABLE (failed calls are free)
//                           Never for what leaves a job or a bill behind: OpenAI images, videos,
//                           Veo (gRPC calls UNAVAILABLE unsafe to repeat), fal, Replicate.
//   other 5xx    unknown    the work may have run, and may have been billed
//   1xx–3xx      unknown    not an answer of this protocol
//
// Whether it is billed is another question. An error in place of the answer to a synchronous call
// (`isSynchronous`) counts as free, also with an unknown outcome and with status 200. Documented:
//   Gemini      requests that fail with a 400 or 500 error are not charged (docs, Billing)
//   OpenRouter  errors without output are free (docs, Zero completion insurance)
//   Azure       the opposite for two: a 400 of the content filter and a 408 can be charged
//               (docs, Manage costs). The 400 is booked at 0 all the same, as every rejection.
// OpenAI, Anthropic and most others document nothing. It is our reading that they bill the tokens
// that an answer reports, and an error reports none.
// A party that stopped waiting (408, 499, 504, 524) sends no such error: the work may still be done.
// Nor is an error to a submission of a job, which may exist all the same: OpenAI images, videos,
// Veo, Replicate, and fal, although fal does not charge server errors (docs, FAQ).

import { isRecord } from '#core/record.ts'
import { readRetryAfterMs } from '#core/retry-after.ts'
import { parseJson, textOf } from './json-shape.ts'
import {
  type Billed,
  type MediaRequest,
  ProviderError,
  type ProviderErrorKind,
} from './provider.ts'
import type { Answer, Upstream } from './upstream.ts'

type Refusal = {
  /** The provider's own message. */
  message?: string | undefined
  /** Present if the answer says more than its status does. */
  kind?: ProviderErrorKind | undefined
  rejectedWhenBusy?: boolean
  /** The call has an answer and leaves no job behind. */
  isSynchronous?: boolean
  retryAfterMs?: number | undefined
}

const messageMaxChars = 300
const retryAfterMaxMs = 24 * 60 * 60 * 1000

export function refusalError(upstream: Upstream, answer: Answer, refusal: Refusal): ProviderError {
  const { status } = answer
  const askedMs = readRetryAfterMs(answer.headers)
  const retryAfterMs =
    askedMs === undefined ? refusal.retryAfterMs : Math.min(askedMs, retryAfterMaxMs)
  const busy = status === 503 || status === 529
  const rejected =
    (status >= 400 && status < 500 && status !== 408 && status !== 499) ||
    (busy && refusal.rejectedWhenBusy === true)
  return new ProviderError(refusal.kind ?? kindOfStatus(status), {
    outcome: rejected ? 'rejected' : 'unknown',
    message: sentence(
      upstream,
      refusal.message ?? plainText(answer) ?? `answered with status ${status}`,
    ),
    status,
    isFree: refusal.isSynchronous === true && (status === 200 || isError(status)),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

const gaveUpWaiting: readonly number[] = [408, 499, 504, 524]

const isError = (status: number) => status >= 400 && !gaveUpWaiting.includes(status)

/** A job, or a synchronous call, that the provider accepted and then ended without a result. */
export function endedError(
  upstream: Upstream,
  kind: ProviderErrorKind,
  message: string | undefined,
  billed?: Billed,
): ProviderError {
  return new ProviderError(kind, {
    outcome: 'rejected',
    message: sentence(upstream, message ?? 'ended the job without a reason'),
    ...(billed ? { billed } : {}),
  })
}

/**
 * An answer that is not what the provider documents, so that the outcome is unknown. Some servers
 * report an error with status 200; then their message says more than ours.
 */
export function protocolError(upstream: Upstream, answer: Answer, what: string): ProviderError {
  const said = messageIn(answer)
  return new ProviderError('protocol', {
    outcome: 'unknown',
    message: sentence(upstream, said === undefined || said === what ? what : `${what}: ${said}`),
    status: answer.status,
  })
}

/** A request that this provider's API cannot express. Nothing leaves this process. */
export function unsendable(upstream: Upstream, what: string): ProviderError {
  return new ProviderError('invalid', { outcome: 'not_sent', message: sentence(upstream, what) })
}

/** For an API without masks: a whole new picture is not what was asked for. */
export function refuseMask(upstream: Upstream, request: MediaRequest): void {
  if (request.kind === 'IMAGE' && request.mask) throw unsendable(upstream, 'takes no mask')
}

/** A job reference that this adapter did not make, or that points to a forbidden address. */
export function badReference(upstream: Upstream): ProviderError {
  return new ProviderError('protocol', {
    outcome: 'not_sent',
    message: sentence(upstream, 'the job reference is not usable'),
  })
}

/** The message of an error, in the forms that vendors and compatible servers use. */
function messageIn({ body }: Answer): string | undefined {
  const json = body.length > 0 ? parseJson(body) : undefined
  if (!isRecord(json)) return undefined
  const { error, message, detail } = json
  return textOf(isRecord(error) ? error.message : error) ?? textOf(message) ?? textOf(detail)
}

/** What a proxy says; a web page would say nothing. */
const plainText = ({ headers, body }: Answer): string | undefined =>
  /^text\/plain\b/i.test(String(headers['content-type']))
    ? textOf(body.toString().trim())
    : undefined

function kindOfStatus(status: number): ProviderErrorKind {
  if (status === 401 || status === 402 || status === 403) return 'auth'
  if (status === 404 || status === 410) return 'not_found'
  if (status === 408 || status === 504 || status === 524) return 'timeout'
  if (status === 429 || status === 503 || status === 529) return 'busy'
  if (status === 499 || status >= 500) return 'server'
  return status >= 400 ? 'invalid' : 'protocol'
}

function sentence(upstream: Upstream, words: string): string {
  const line = upstream
    .redact(words)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  const whole = `${upstream.name}: ${line}`
  return whole.length > messageMaxChars ? `${whole.slice(0, messageMaxChars - 1)}…` : whole
}
