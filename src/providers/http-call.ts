// A provider's address, with the headers that every request to it carries. Makes one exchange per
// call (http-exchange.ts), never follows redirects, and never lets a key into an error.
import { Agent, type Dispatcher, Pool } from 'undici'
import type { StopSignal } from '#core/stop.ts'
import { exchange, type Opened } from './http-exchange.ts'
import { createLearntLimits, type LearntLimits } from './learnt-limits.ts'
import type { Answer, Upstream } from './upstream.ts'

export type Call = {
  method: 'GET' | 'POST' | 'PUT'
  /**
   * A path under the base address, beginning with a slash; or a full address, if the caller has
   * checked that it may receive the key.
   */
  at: string | URL
  body?: string | Buffer
  /** The type of `body`; JSON by default. */
  contentType?: string
  headers?: Record<string, string>
  /** The model that is called, if it is one: vendors have limits, and some addresses, by model. */
  model?: string
  maxBytes?: number
  signal: StopSignal
}

export type Endpoint = Upstream & {
  readonly origin: string
  /** The base address without a slash at its end. */
  readonly base: string
  call(request: Call): Promise<Answer>
  /** The same exchange, but an answer that is a stream of events is passed on as it arrives. */
  stream(request: Call): Promise<Opened>
  /** The same exchange, but any answer with status 200 is passed on as it arrives. */
  bytes(request: Call): Promise<Opened>
  learnt: LearntLimits['of']
  close(): Promise<void>
}

type EndpointOptions = {
  name: string
  baseUrl: string
  headers: Record<string, string>
  secrets: string[]
  /** Where a path under the base address is for this model. */
  pathOf?(at: string, model: string | undefined): string
  dispatcher?: Dispatcher
}

const textAnswerMaxBytes = 8 * 1024 * 1024
export const mediaAnswerMaxBytes = 64 * 1024 * 1024
/** A streamed token takes hundreds of bytes on the wire; none of them are kept. */
const streamMaxBytes = 256 * 1024 * 1024
const userAgent = 'atelier'

export function openEndpoint(options: EndpointOptions): Endpoint {
  const base = new URL(options.baseUrl)
  // Read once: a URL computes it anew every time.
  const { origin } = base
  const prefix = base.pathname.replace(/\/+$/, '')
  // Nearly all calls go to the base address, for which an agent would look up the pool each time.
  const pool = options.dispatcher ?? new Pool(origin, connections)
  const agent = options.dispatcher ?? new Agent(connections)
  const dispatcherOf = ({ at }: Call) => (typeof at === 'string' ? pool : agent)
  const fixed = Object.entries({ ...options.headers, 'user-agent': userAgent }).flat()
  const jsonHeaders = [...fixed, 'content-type', 'application/json']
  const upstream: Upstream = { name: options.name, redact: redactor(options.secrets) }
  const headersOf = ({ body, contentType, headers }: Call): string[] => {
    const all = contentType ? [...fixed, 'content-type', contentType] : body ? jsonHeaders : fixed
    return headers ? [...all, ...Object.entries(headers).flat()] : all
  }
  const { pathOf = (at: string) => at } = options
  const optionsOf = (call: Call): Dispatcher.DispatchOptions => ({
    origin: typeof call.at === 'string' ? origin : call.at.origin,
    path:
      typeof call.at === 'string'
        ? prefix + pathOf(call.at, call.model)
        : call.at.pathname + call.at.search,
    method: call.method,
    headers: headersOf(call),
    body: call.body ?? null,
  })
  const limits = createLearntLimits()
  const opened = (request: Call, delivery: 'stream' | 'bytes') =>
    exchange(dispatcherOf(request), optionsOf(request), upstream, {
      signal: request.signal,
      maxBytes: streamMaxBytes,
      delivery,
      limits,
      model: request.model,
    })
  return {
    ...upstream,
    origin,
    base: origin + prefix,
    call: (request) =>
      exchange(dispatcherOf(request), optionsOf(request), upstream, {
        signal: request.signal,
        maxBytes: request.maxBytes ?? textAnswerMaxBytes,
        delivery: 'whole',
        limits,
        model: request.model,
      }),
    stream: (request) => opened(request, 'stream'),
    bytes: (request) => opened(request, 'bytes'),
    learnt: limits.of,
    close: async () => {
      if (options.dispatcher === undefined) await Promise.all([pool.close(), agent.close()])
    },
  }
}

/** Longer than any setting allows a call to be silent. */
const longestWaitMs = 25 * 60 * 60 * 1000

/**
 * HTTP/1.1 without pipelining: a broken connection leaves exactly one request in doubt. Every call
 * has a time limit of its own, which ends it earlier. With one value for both, undici goes on with
 * one timer instead of making a new one for each answer.
 */
const connections = {
  allowH2: false,
  pipelining: 1,
  connections: 1024,
  headersTimeout: longestWaitMs,
  bodyTimeout: longestWaitMs,
}

function redactor(secrets: string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.length >= 4)
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text)
}
