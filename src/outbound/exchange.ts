import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { type FailureKind, OutboundFailed, OutboundRefused } from './outbound-errors.ts'

type Message = {
  url: URL
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | null
}

type Limits = { timeoutMs: number; signal: AbortSignal }

/** Names are in lower case; the values of a repeated header are joined by commas. */
export type ResponseHeaders = Readonly<Record<string, string>>

export type Exchange = { status: number; headers: ResponseHeaders; raw: Readable }

/**
 * One request and its response. The timeout and the signal apply until the last byte of the
 * response has been read. They also abort a request that still waits for a connection, which
 * undici's own signal does not. `raw` always ends or is destroyed, whether or not it is read.
 */
export function exchange(pool: Dispatcher, message: Message, limits: Limits): Promise<Exchange> {
  const { promise, resolve, reject } = Promise.withResolvers<Exchange>()
  let controller: Dispatcher.DispatchController | undefined
  let stopped: OutboundFailed | OutboundRefused | undefined

  const raw = new Readable({
    read: () => controller?.resume(),
    destroy: (error, done) => {
      controller?.abort(error ?? new Error('The rest of the response was discarded.'))
      done(error)
    },
  })
  const stop = (failure: OutboundFailed | OutboundRefused) => {
    stopped ??= failure
    reject(stopped)
    raw.destroy(stopped)
  }
  const fail = (kind: FailureKind, text: string, cause?: unknown) =>
    stop(new OutboundFailed(kind, { sent: controller !== undefined, message: text, cause }))
  const onAbort = () => fail('aborted', 'The request was aborted.', limits.signal.reason)
  const timer = setTimeout(
    () => fail('timeout', `No complete answer within ${limits.timeoutMs} ms.`),
    limits.timeoutMs,
  )
  limits.signal.addEventListener('abort', onAbort, { once: true })
  // Without a listener, the failure of a response nobody reads would be an uncaught exception.
  raw.on('error', () => {})
  raw.once('close', () => {
    clearTimeout(timer)
    limits.signal.removeEventListener('abort', onAbort)
  })
  if (limits.signal.aborted) onAbort()
  else
    pool.dispatch(toDispatch(message), {
      // Called right before the first byte is written. From here on the request counts as sent.
      onRequestStart(started) {
        if (stopped) started.abort(stopped)
        else controller = started
      },
      onResponseStart(_controller, status, headers) {
        if (status >= 200) resolve({ status, headers: joined(headers), raw })
      },
      onResponseData(started, chunk) {
        if (!raw.push(chunk)) started.pause()
      },
      onResponseEnd: () => void raw.push(null),
      onResponseError(_controller, error) {
        if (error instanceof OutboundFailed || error instanceof OutboundRefused) stop(error)
        else fail(kindOf(error), 'The exchange broke off.', error)
      },
    })
  return promise
}

function toDispatch({ url, method, headers, body }: Message): Dispatcher.DispatchOptions {
  return { origin: url.origin, path: url.pathname + url.search, method, headers, body }
}

function joined(headers: Record<string, string | string[] | undefined>): ResponseHeaders {
  const entries = Object.entries(headers)
  return Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().join(', ')]))
}

function kindOf(error: Error & { code?: unknown }): FailureKind {
  const code = String(error.code)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'too_large'
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return 'aborted'
  if (error.name === 'HTTPParserError' || code.startsWith('UND_ERR_RES_')) return 'protocol'
  return 'reset'
}
