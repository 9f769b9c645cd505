import { type About, AtelierError } from './atelier-error.ts'
import { type Answered, type Exchange, exchange } from './exchange.ts'

const apiPrefix = '/api/ai-tools/v1'
const attemptTimeoutMs = 60_000
const maxAttempts = 4
const maxAdvisedSeconds = 120

export type CallOptions = {
  /** Aborts this call. The signal of the client aborts every call. */
  signal?: AbortSignal | undefined
}

/** When a call may be repeated. */
type Safety =
  /** After any transient failure: the call changes nothing, or is idempotent. */
  | { repeat: 'always' }
  /** After a transient failure, unless the response was lost: the call may have been executed. */
  | { repeat: 'answered'; ifLost: string }
  /** Only if the server's response guarantees that nothing was started. */
  | { repeat: 'refused'; ifLost: string }

export type Call = {
  method: Exchange['method']
  path: string
  body?: unknown
  headers?: Record<string, string>
  safety: Safety
  about?: About
  timeoutMs?: number
  attempts?: number
}

export const safe: Safety = { repeat: 'always' }

export type Send = (call: Call, options?: CallOptions) => Promise<Answered>

/** Time and randomness, injected for tests. */
export type Runtime = {
  nowMs(): number
  random(): number
  /** Rejects with the reason as soon as a signal aborts. */
  sleep(ms: number, signals: readonly (AbortSignal | undefined)[]): Promise<void>
}

export type Connection = {
  baseUrl: string
  apiKey: string
  fetch: typeof fetch
  signal: AbortSignal | undefined
}

export function createTransport(
  { baseUrl, apiKey, fetch, signal }: Connection,
  runtime: Runtime,
): Send {
  const deps = { fetch, apiKey, nowMs: runtime.nowMs }
  return async (call, options = {}) => {
    const signals = [signal, options.signal]
    const { safety, attempts = maxAttempts } = call
    for (let attempt = 1; ; attempt++) {
      for (const one of signals) one?.throwIfAborted()
      try {
        return await exchange(deps, toExchange(baseUrl, call), signals)
      } catch (error) {
        if (!(error instanceof AtelierError)) throw error
        if (isLost(safety, error)) throw lost(safety, error, call.about)
        if (attempt >= attempts || !mayRepeat(safety, error)) throw error
        await runtime.sleep(pauseMs(attempt, error, runtime.random()), signals)
      }
    }
  }
}

const toExchange = (baseUrl: string, call: Call): Exchange => ({
  method: call.method,
  url: baseUrl + apiPrefix + call.path,
  headers: call.headers ?? {},
  timeoutMs: call.timeoutMs ?? attemptTimeoutMs,
  ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  ...(call.about ? { about: call.about } : {}),
})

/** With these codes the server guarantees that nothing was started. */
const nothingStarted: ReadonlySet<string> = new Set([
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'QUOTA_EXCEEDED',
  'SERVICE_UNAVAILABLE',
  'PROVIDER_UNAVAILABLE',
])

function mayRepeat({ repeat }: Safety, error: AtelierError): boolean {
  if (!error.retryable || (error.retryAfterSeconds ?? 0) > maxAdvisedSeconds) return false
  return repeat === 'refused' ? nothingStarted.has(error.code) : true
}

/** Whether the call may have been executed although its response was lost. */
function isLost(safety: Safety, { code, status }: AtelierError): boolean {
  if (safety.repeat === 'always') return false
  if (code === 'CONNECTION_LOST') return true
  if (code === 'INVALID_ANSWER') return status >= 500
  return code === 'INTERNAL_ERROR' && safety.repeat === 'refused'
}

function lost(safety: Safety, cause: AtelierError, about: About | undefined): AtelierError {
  const advice = safety.repeat === 'always' ? '' : ` ${safety.ifLost}`
  const { status, requestId, details } = cause
  const message = `The outcome is unknown: the call may have been executed. ${cause.message}${advice}`
  return new AtelierError(
    { code: 'OUTCOME_UNKNOWN', message, status, requestId, details, cause },
    about,
  )
}

/** Exponential backoff up to 8 s with jitter, never shorter than the server asks for. */
function pauseMs(attempt: number, { retryAfterSeconds = 0 }: AtelierError, random: number): number {
  const backoffMs = Math.min(8_000, 500 * 2 ** (attempt - 1)) * (0.5 + random / 2)
  return Math.max(backoffMs, retryAfterSeconds * 1000 * (1 + random / 10))
}

/** Encodes one segment of a path. */
export function segment(value: string | number): string {
  const text = String(value)
  if (/^\.{0,2}$/.test(text)) throw new TypeError('an identifier is missing')
  return encodeURIComponent(text)
}

export function query(values: Record<string, number | string | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return given.length === 0
    ? ''
    : `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`
}
