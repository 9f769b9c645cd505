import { type About, AtelierError } from './atelier-error.ts'
import { type Answered, type Exchange, exchange } from './exchange.ts'

const apiPrefix = '/api/ai-tools/v1'
const attemptTimeoutMs = 60_000
const mostAttempts = 4
const longestAdviceSeconds = 120

/** Per call; the client's own signal applies to every call besides. */
export type CallOptions = { signal?: AbortSignal | undefined }

/** When a call may be made again. */
type Safety =
  /** Whenever it failed in passing: it changes nothing, or changes it once. */
  | { repeat: 'always' }
  /** When the server answered so. A lost answer is not repeated. */
  | { repeat: 'answered'; ifLost: string }
  /** When the server says that nothing was started. */
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

/** Time and chance. */
export type Surroundings = {
  nowMs(): number
  random(): number
  /** Rejects with the reason once the signal aborts. */
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
  surroundings: Surroundings,
): Send {
  const means = { fetch, apiKey, nowMs: surroundings.nowMs }
  return async (call, options = {}) => {
    const signals = [signal, options.signal]
    const { safety, attempts = mostAttempts } = call
    for (let attempt = 1; ; attempt++) {
      for (const one of signals) one?.throwIfAborted()
      try {
        return await exchange(means, toExchange(baseUrl, call), signals)
      } catch (error) {
        if (!(error instanceof AtelierError)) throw error
        if (isLost(safety, error)) throw lost(safety, error, call.about)
        if (attempt >= attempts || !mayRepeat(safety, error)) throw error
        await surroundings.sleep(pauseMs(attempt, error, surroundings.random()), signals)
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

/** Refusals after which nothing has been started, by the server's promise. */
const nothingStarted: ReadonlySet<string> = new Set([
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'QUOTA_EXCEEDED',
  'SERVICE_UNAVAILABLE',
  'PROVIDER_UNAVAILABLE',
])

function mayRepeat({ repeat }: Safety, error: AtelierError): boolean {
  if (!error.retryable || (error.retryAfterSeconds ?? 0) > longestAdviceSeconds) return false
  return repeat === 'refused' ? nothingStarted.has(error.code) : true
}

/** Whether the call may have been carried out though its answer did not come. */
function isLost(safety: Safety, { code, status }: AtelierError): boolean {
  if (safety.repeat === 'always') return false
  if (code === 'CONNECTION_LOST') return true
  if (code === 'INVALID_ANSWER') return status >= 500
  return code === 'INTERNAL_ERROR' && safety.repeat === 'refused'
}

function lost(safety: Safety, cause: AtelierError, about: About | undefined): AtelierError {
  const advice = safety.repeat === 'always' ? '' : ` ${safety.ifLost}`
  const { status, requestId, details } = cause
  const message = `It is not known whether the call was carried out. ${cause.message}${advice}`
  return new AtelierError(
    { code: 'OUTCOME_UNKNOWN', message, status, requestId, details, cause },
    about,
  )
}

/** Doubles up to 8 s with a share of chance, and is never shorter than the server asks. */
function pauseMs(attempt: number, { retryAfterSeconds = 0 }: AtelierError, random: number): number {
  const backoffMs = Math.min(8_000, 500 * 2 ** (attempt - 1)) * (0.5 + random / 2)
  return Math.max(backoffMs, retryAfterSeconds * 1000 * (1 + random / 10))
}

/** One part of a path. */
export function segment(value: string | number): string {
  const text = String(value)
  if (/^\.{0,2}$/.test(text)) throw new TypeError('an identifier is missing')
  return encodeURIComponent(text)
}

export function query(values: Record<string, number | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${given.map(([name, value]) => `${name}=${value}`).join('&')}`
}
