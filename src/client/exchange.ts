import { type About, AtelierError } from './atelier-error.ts'

export type Exchange = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers: Record<string, string>
  body?: string
  timeoutMs: number
  about?: About
}

export type Answered = { data: unknown; retryAfterSeconds: number | undefined }

type ExchangeDeps = { fetch: typeof fetch; apiKey: string; nowMs(): number }

/**
 * Sends one request and reads the complete response. Every failure is an AtelierError, except an
 * abort by the caller.
 */
export async function exchange(
  deps: ExchangeDeps,
  call: Exchange,
  signals: readonly (AbortSignal | undefined)[],
): Promise<Answered> {
  const { response, text } = await receive(deps, call, signals)
  const requestId = response.headers.get('x-request-id') ?? undefined
  const retryAfterSeconds = readRetryAfter(response.headers.get('retry-after'), deps.nowMs())
  const { status } = response
  const body = parse(text)
  if (response.ok && body?.success === true) return { data: body.data, retryAfterSeconds }
  // A server or proxy that echoes the request in its response would reveal the key.
  const error = parse(text.replaceAll(deps.apiKey, '(key)'))?.error
  const facts = { status, requestId, retryAfterSeconds }
  throw error === undefined
    ? new AtelierError({ ...facts, ...notOurs(status) }, call.about)
    : new AtelierError({ ...facts, ...error }, call.about)
}

async function receive(
  { fetch, apiKey }: ExchangeDeps,
  { method, url, headers, body, timeoutMs, about }: Exchange,
  signals: readonly (AbortSignal | undefined)[],
): Promise<{ response: Response; text: string }> {
  const limit = withTimeout(signals, timeoutMs)
  let response: Response | undefined
  try {
    response = await fetch(url, {
      method,
      headers: {
        ...headers,
        accept: 'application/json',
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      signal: limit.signal,
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
    })
    if (isRedirect(response)) {
      await response.body?.cancel()
      throw new AtelierError(redirected(response, url), about)
    }
    return { response, text: await response.text() }
  } catch (cause) {
    for (const signal of signals) if (signal?.aborted) throw signal.reason
    if (cause instanceof AtelierError) throw cause
    const isUnsent = response === undefined && neverConnected.has(codeOf(cause))
    throw new AtelierError(
      {
        code: isUnsent ? 'UNREACHABLE' : 'CONNECTION_LOST',
        message: isUnsent
          ? `No connection to ${new URL(url).origin}.`
          : `No complete response from ${new URL(url).origin}.`,
        status: response?.status ?? 0,
        retryable: true,
        cause,
      },
      about,
    )
  } finally {
    limit.end()
  }
}

/** Node's codes for a connection that was never established; browsers do not report the cause. */
const neverConnected: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])
const codeOf = (error: unknown): unknown =>
  (error as { cause?: { code?: unknown } } | undefined)?.cause?.code

const isRedirect = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400)

function redirected(response: Response, url: string) {
  const location = response.headers.get('location')
  const to = location && URL.canParse(location, url) ? ` to ${new URL(location, url).origin}` : ''
  return {
    code: 'REDIRECT_REFUSED',
    message: `The server redirects${to}, where the key is not sent. Give the final address as baseUrl.`,
    status: response.status,
  }
}

/** Aborts with any of the signals or after the timeout; `end` removes all listeners. */
function withTimeout(signals: readonly (AbortSignal | undefined)[], timeoutMs: number) {
  const controller = new AbortController()
  const abort = () => controller.abort()
  for (const signal of signals) {
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
  }
  // A timer with a longer delay would fire immediately.
  const timer = setTimeout(abort, Math.min(timeoutMs, 2 ** 31 - 1))
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer)
      for (const signal of signals) signal?.removeEventListener('abort', abort)
    },
  }
}

type Envelope = {
  success?: unknown
  data?: unknown
  error?: { code: string; message: string; retryable: boolean; details?: unknown }
}

/** Returns undefined for anything but a JSON object; an error of another shape is dropped. */
function parse(text: string): Envelope | undefined {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null) return undefined
    const { error } = body as { error?: { code?: unknown; message?: unknown } }
    const isKnown = typeof error?.code === 'string' && typeof error.message === 'string'
    return { ...body, ...(isKnown ? {} : { error: undefined }) } as Envelope
  } catch {
    return undefined
  }
}

/** A proxy answered instead of the server, or baseUrl names another server. */
const notOurs = (status: number) => ({
  code: 'INVALID_ANSWER',
  message: `The response (${status}) did not come from this API. Check baseUrl.`,
  retryable: [429, 502, 503, 504].includes(status),
})

function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : Math.ceil((Date.parse(value) - nowMs) / 1000)
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
