// One call to the server: JSON in, JSON out, failures in the contract's shape. It knows nothing of
// credentials; its two callers add those.
import { ApiFailure, unreachable } from './api-failure.ts'
import { reportReachable, reportUnreachable } from './connection.ts'

export type Call = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON, except that a Blob is sent as is, with its own type. */
  body?: unknown
  query?: Record<string, string | number | boolean | null | undefined>
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

export type Answered<T> = { data: T; status: number; etag: string | null; headers: Headers }

type Remembered = { etag: string; data: unknown; headers: Headers }

/** Bodies of GETs by address: an unchanged one costs only a 304 and stays the same object. */
const remembered = new Map<string, Remembered>()
const maxRemembered = 200

export function forgetAnswers(): void {
  remembered.clear()
}

export async function exchange<T>(path: string, call: Call = {}): Promise<Answered<T>> {
  const { method = 'GET', body, signal } = call
  const address = path + queryOf(call.query)
  const known = method === 'GET' ? remembered.get(address) : undefined
  const response = await send(address, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
    headers: {
      accept: 'application/json',
      ...(known ? { 'if-none-match': known.etag } : {}),
      ...(body === undefined ? {} : { 'content-type': contentTypeOf(body) }),
      ...call.headers,
    },
    body: body === undefined ? null : body instanceof Blob ? body : JSON.stringify(body),
    signal: signal ?? null,
  })
  if (response.status === 304 && known)
    return { data: known.data as T, status: 200, etag: known.etag, headers: response.headers }
  const answer = await read(response)
  const etag = response.headers.get('etag')
  if (method === 'GET' && etag) remember(address, { etag, data: answer, headers: response.headers })
  return { data: answer as T, status: response.status, etag, headers: response.headers }
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(address, init)
    reportReachable()
    return response
  } catch (cause) {
    if (init.signal?.aborted) throw cause
    reportUnreachable()
    throw unreachable(cause)
  }
}

async function read(response: Response): Promise<unknown> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const parsed = isJson ? await readJson(response) : null
  if (response.ok && parsed?.success === true) return parsed.data
  throw failureOf(response, parsed?.error)
}

type Envelope = { success?: boolean; data?: unknown; error?: Record<string, unknown> }

async function readJson(response: Response): Promise<Envelope | null> {
  try {
    return (await response.json()) as Envelope
  } catch {
    // A proxy's page sent as JSON, or a connection that broke halfway.
    return null
  }
}

export function failureOf(response: Response, error?: Record<string, unknown>): ApiFailure {
  const retryAfter = Number(response.headers.get('retry-after'))
  return new ApiFailure({
    status: response.status,
    code: typeof error?.code === 'string' ? error.code : `HTTP_${response.status}`,
    message:
      typeof error?.message === 'string'
        ? error.message
        : `The server answered ${response.status} without saying why.`,
    retryable: typeof error?.retryable === 'boolean' ? error.retryable : response.status >= 500,
    details: (error?.details as Record<string, unknown> | undefined) ?? undefined,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null,
  })
}

function remember(address: string, answer: Remembered): void {
  remembered.delete(address)
  remembered.set(address, answer)
  if (remembered.size <= maxRemembered) return
  const [oldest] = remembered.keys()
  if (oldest !== undefined) remembered.delete(oldest)
}

const contentTypeOf = (body: unknown): string =>
  body instanceof Blob ? body.type || 'application/octet-stream' : 'application/json'

function queryOf(query: Call['query']): string {
  const pairs = Object.entries(query ?? {}).filter(
    (pair): pair is [string, string | number | boolean] => pair[1] != null && pair[1] !== '',
  )
  if (pairs.length === 0) return ''
  return `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`
}
