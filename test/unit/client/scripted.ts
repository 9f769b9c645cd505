import { createClient } from '../../../src/client/client.ts'

export type Seen = {
  method: string
  url: string
  headers: Headers
  body: unknown
  signal: AbortSignal | null | undefined
}

type Script = Response | Error | ((seen: Seen) => Response | Promise<Response>)

export const key = 'sk_abcdefghijklmnopqrstuvwxyz0123456789ABC'

/** A client with scripted answers and a virtual clock. */
export function scriptedClient(script: Script[], options: { signal?: AbortSignal } = {}) {
  const seen: Seen[] = []
  const sleptMs: number[] = []
  const left = [...script]
  const client = createClient(
    {
      baseUrl: 'https://atelier.example.com/',
      apiKey: key,
      ...options,
      fetch: async (url, init) => {
        const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
        const headers = new Headers(init?.headers)
        const { method = 'GET', signal } = init ?? {}
        const call = { method, url: String(url), headers, body, signal }
        seen.push(call)
        const next = left.shift()
        if (!next) throw new Error(`nothing is written down for ${call.method} ${call.url}`)
        if (next instanceof Error) throw next
        return typeof next === 'function' ? next(call) : next
      },
    },
    {
      nowMs: () => 1_700_000_000_000,
      random: () => 0.5,
      async sleep(ms, signals) {
        for (const signal of signals) signal?.throwIfAborted()
        sleptMs.push(ms)
      },
    },
  )
  return { client, seen, sleptMs }
}

export const ok = (data: unknown, headers: Record<string, string> = {}): Response =>
  Response.json({ success: true, data }, { headers: { 'x-request-id': 'req_ok', ...headers } })

export const failed = (
  status: number,
  error: { code: string; retryable: boolean; message?: string; details?: unknown },
  headers: Record<string, string> = {},
): Response =>
  Response.json(
    { success: false, error: { message: `It is ${error.code}.`, ...error } },
    { status, headers: { 'x-request-id': 'req_no', ...headers } },
  )

export const busy = (headers: Record<string, string> = {}) =>
  failed(503, { code: 'SERVICE_UNAVAILABLE', retryable: true }, headers)

/** The error of undici for a connection that broke after the request was sent. */
export const cut = () =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
  })

export const refused = () =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
  })
