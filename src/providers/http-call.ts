// One HTTP exchange with a provider, exactly once. Promises to tell truly whether the request
// may have left this process: `not_sent` only if no byte was written. Never retries, never
// follows redirects, never holds more of an answer than allowed, never says a key aloud.
import { Agent, type Dispatcher } from 'undici'
import type { StopSignal } from '#core/stop.ts'
import { ProviderError } from './provider.ts'
import { type Opened, streamExchange } from './streamed-call.ts'
import { abortedError, stopped, tooLarge, transportError } from './transport-errors.ts'

export type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

export type Call = {
  method: 'GET' | 'POST' | 'PUT'
  /**
   * A path under the base address, beginning with a slash; or a full address of which the
   * caller has checked that it may be given the key.
   */
  at: string | URL
  body?: string | Buffer
  /** Of `body`; JSON unless said. */
  contentType?: string
  maxBytes?: number
  signal: StopSignal
}

/** Who answers: names the provider in errors and keeps its secrets out of them. */
export type Upstream = { readonly name: string; redact(text: string): string }

export type Endpoint = Upstream & {
  readonly origin: string
  /** The base address without a slash at its end. */
  readonly base: string
  call(request: Call): Promise<Answer>
  /** The same exchange, its answer handed on as it comes where it is a stream of events. */
  stream(request: Call): Promise<Opened>
  close(): Promise<void>
}

type EndpointOptions = {
  name: string
  baseUrl: string
  headers: Record<string, string>
  secrets: string[]
  dispatcher?: Dispatcher
}

const textAnswerMaxBytes = 8 * 1024 * 1024
export const mediaAnswerMaxBytes = 64 * 1024 * 1024
/** On the wire a token of a stream weighs hundreds of bytes; none of them are kept. */
const streamMaxBytes = 256 * 1024 * 1024
/** Of an error answer only the message is read. */
const errorAnswerMaxBytes = 64 * 1024
const userAgent = 'atelier'

export function openEndpoint(options: EndpointOptions): Endpoint {
  const base = new URL(options.baseUrl)
  const prefix = base.pathname.replace(/\/+$/, '')
  const dispatcher = options.dispatcher ?? openDispatcher()
  const fixed = Object.entries({ ...options.headers, 'user-agent': userAgent }).flat()
  const jsonHeaders = [...fixed, 'content-type', 'application/json']
  const upstream: Upstream = { name: options.name, redact: redactor(options.secrets) }
  const optionsOf = ({ at, method, body, contentType }: Call): Dispatcher.DispatchOptions => ({
    origin: typeof at === 'string' ? base.origin : at.origin,
    path: typeof at === 'string' ? prefix + at : at.pathname + at.search,
    method,
    headers: contentType ? [...fixed, 'content-type', contentType] : body ? jsonHeaders : fixed,
    body: body ?? null,
  })
  return {
    ...upstream,
    origin: base.origin,
    base: base.origin + prefix,
    call: (request) => {
      const { signal, maxBytes = textAnswerMaxBytes } = request
      return exchange(dispatcher, optionsOf(request), upstream, { signal, maxBytes })
    },
    stream: (request) =>
      streamExchange(dispatcher, optionsOf(request), upstream, {
        signal: request.signal,
        maxBytes: streamMaxBytes,
        maxErrorBytes: errorAnswerMaxBytes,
      }),
    close: async () => {
      if (options.dispatcher === undefined) await dispatcher.close()
    },
  }
}

/** HTTP/1.1 without pipelining: on a cut connection exactly one request is in doubt. */
const openDispatcher = () =>
  new Agent({
    allowH2: false,
    pipelining: 1,
    connections: 1024,
    headersTimeout: 600_000,
    bodyTimeout: 120_000,
  })

function redactor(secrets: string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.length >= 4)
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text)
}

type Exchange = {
  readonly upstream: Upstream
  readonly signal: StopSignal
  readonly answer: Answer
  readonly chunks: Buffer[]
  size: number
  limit: number
  /** Present once the connection stands and writing begins: from then on it may have arrived. */
  controller: Dispatcher.DispatchController | undefined
  settled: boolean
  settle(result: Answer | ProviderError): void
}

/**
 * Uses `dispatch` rather than `request`: it alone says when writing begins. The connection is
 * made before `onRequestStart`, so a failure without it surely left the provider untouched.
 */
function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  upstream: Upstream,
  { signal, maxBytes }: { signal: StopSignal; maxBytes: number },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const it: Exchange = {
      upstream,
      signal,
      answer: { status: 0, headers: {}, body: emptyBody },
      chunks: [],
      size: 0,
      limit: maxBytes,
      controller: undefined,
      settled: false,
      settle(result) {
        it.settled = true
        signal.removeEventListener('abort', onAbort)
        if (result instanceof ProviderError) reject(result)
        else resolve(result)
      },
    }
    const onAbort = () => {
      it.settle(abortedError(upstream, signal, it.controller !== undefined))
      it.controller?.abort(stopped)
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    dispatcher.dispatch(options, handlerOf(it))
  })
}

function handlerOf(it: Exchange): Dispatcher.DispatchHandler {
  const { answer } = it
  return {
    onRequestStart(started) {
      // A second start would be a silent retry; an abort before the first must stay unsent.
      if (it.settled || it.controller !== undefined) return started.abort(stopped)
      it.controller = started
    },
    onResponseStart(controller, status, headers) {
      answer.status = status
      answer.headers = headers
      if (status >= 400) it.limit = errorAnswerMaxBytes
      else if (Number(headers['content-length']) > it.limit) stopReading(it, controller)
    },
    onResponseData(controller, chunk) {
      if (it.settled) return
      if (it.size + chunk.length > it.limit) return stopReading(it, controller)
      it.size += chunk.length
      it.chunks.push(chunk)
    },
    onResponseEnd() {
      if (!it.settled) it.settle(completed(it))
    },
    onResponseError(_, error) {
      if (it.settled) return
      // The status line of a refusal is all the caller needs; its body may break off.
      it.settle(answer.status >= 400 ? completed(it) : failureOf(it, error))
    },
  }
}

function stopReading(it: Exchange, controller: Dispatcher.DispatchController): void {
  if (it.settled) return
  it.settle(it.answer.status >= 400 ? completed(it) : tooLarge(it.upstream, it))
  controller.abort(stopped)
}

function completed({ answer, chunks, size }: Exchange): Answer {
  answer.body = chunks.length === 1 ? (chunks[0] ?? emptyBody) : Buffer.concat(chunks, size)
  return answer
}

const emptyBody = Buffer.alloc(0)

const failureOf = ({ upstream, controller, answer }: Exchange, error: Error): ProviderError =>
  transportError(upstream, { sent: controller !== undefined, status: answer.status }, error)
