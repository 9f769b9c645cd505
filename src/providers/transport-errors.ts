import { TimeUp } from '#core/interruptions.ts'
import type { StopSignal } from '#core/stop.ts'
import { ProviderError, type ProviderErrorKind } from './provider.ts'
import type { Upstream } from './upstream.ts'

/** The reason given when we abort an exchange ourselves. */
export const stopped = new Error('stopped')

export function tooLarge(
  upstream: Upstream,
  { limit, answer }: { limit: number; answer: { status: number } },
): ProviderError {
  const message = `${upstream.name} answered with more than ${limit} bytes`
  return new ProviderError('protocol', { outcome: 'unknown', message, status: answer.status })
}

export const unreadable = (upstream: Upstream, { status }: { status: number }): ProviderError =>
  new ProviderError('protocol', {
    outcome: 'unknown',
    message: `${upstream.name} sent a compressed answer that cannot be read`,
    status,
  })

export function abortedError(upstream: Upstream, signal: StopSignal, sent: boolean): ProviderError {
  const timedOut = signal.reason instanceof TimeUp
  return new ProviderError(timedOut ? 'timeout' : 'canceled', {
    outcome: sent ? 'unknown' : 'not_sent',
    message: timedOut
      ? `${upstream.name} did not answer in time`
      : `the call to ${upstream.name} was canceled`,
  })
}

/** `sent`: writing had begun, so the request may have arrived. */
export function transportError(
  upstream: Upstream,
  { sent, status }: { sent: boolean; status: number },
  error: Error,
): ProviderError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  // A new cause, because the original error may carry data from upstream besides its message.
  const cause = new Error(upstream.redact(`${code}: ${error.message}`))
  if (!sent) {
    const unsendable = code === 'UND_ERR_INVALID_ARG'
    return new ProviderError(unsendable ? 'invalid' : 'unreachable', {
      outcome: 'not_sent',
      message: unsendable
        ? `the request cannot be sent to ${upstream.name}`
        : `${upstream.name} cannot be reached (${code})`,
      cause,
    })
  }
  const kind = kindOfCut(code, status)
  return new ProviderError(kind, {
    outcome: 'unknown',
    message:
      kind === 'timeout'
        ? `${upstream.name} did not answer in time (${code})`
        : `the connection to ${upstream.name} broke off (${code})`,
    // Our own time limit must not be reported with the provider's status.
    ...(status === 0 || kind === 'timeout' ? {} : { status }),
    cause,
  })
}

function kindOfCut(code: string, status: number): ProviderErrorKind {
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return 'timeout'
  const broken = code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW'
  return broken || status !== 0 ? 'protocol' : 'server'
}
