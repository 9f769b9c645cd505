// The outbound gateway: the only way to reach URLs that a user can influence (callbacks,
// http.request, media inputs). Every connection goes to an address that was checked for that
// connection, within time and size limits. Never follows redirects, uses a proxy or retries.
import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import type { Agent } from 'undici'
import { isHeaderValue, isSettableHeader } from '#core/header-names.ts'
import { createAllowList } from './address-policy.ts'
import { createConnector } from './connector.ts'
import { exchange, type ResponseHeaders } from './exchange.ts'
import { OutboundRefused } from './outbound-errors.ts'
import { type Resolve, resolveWithin, systemResolve } from './resolve.ts'
import { acceptEncoding, cappedBody } from './response-body.ts'
import { checkHost, checkUrl, hostOf } from './url-policy.ts'

const checkTimeoutMs = 2_000
const maxHeaderBytes = 16 * 1024
// A server may ask for a keep-alive of minutes. We do not hold connections to strangers so long.
const maxIdleMs = 10_000

export type GatewayRequest = {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Covers everything from the call to the last byte read from the response. */
  timeoutMs: number
  /** Limit for the decoded response body. */
  maxBytes: number
  signal: AbortSignal
  /** The status is what counts: a body in an unknown encoding fails only whoever reads it. */
  statusCounts?: true
}

/** The caller must read or destroy `body`, which fails with OutboundFailed. */
export type GatewayResponse = { status: number; headers: ResponseHeaders; body: Readable }

export type Gateway = {
  /**
   * For submission: refuses a URL that can already be judged. A name that does not resolve now
   * is accepted, because it is checked again before every connection.
   */
  check(target: string): Promise<URL>
  request(target: string, options: GatewayRequest): Promise<GatewayResponse>
  /** Aborts the requests still in flight. */
  close(): Promise<void>
}

/** `allow` holds CIDRs that the configuration has already validated. */
export function createGateway(options: { allow: readonly string[]; resolve?: Resolve }): Gateway {
  const { resolve = systemResolve } = options
  const allow = createAllowList(options.allow)
  let pool: Promise<Agent> | undefined
  // Loaded with the first request: the library is a tenth of an idle server's memory.
  const openPool = async () => {
    const { Agent } = await import('undici')
    return new Agent({
      connect: createConnector({ allow, resolve }),
      allowH2: false,
      maxHeaderSize: maxHeaderBytes,
      keepAliveMaxTimeout: maxIdleMs,
      // Off, because `exchange` applies one timeout to everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  return {
    async check(target) {
      const url = checkUrl(target, allow)
      const host = hostOf(url)
      if (isIP(host) === 0) {
        const addresses = await resolveWithin(resolve, host, checkTimeoutMs).catch(() => [])
        checkHost(host, addresses, allow)
      }
      return url
    },

    async request(target, options) {
      const { method = 'GET', headers = {}, body, timeoutMs, maxBytes, signal } = options
      const message = {
        url: checkUrl(target, allow),
        method,
        headers: {
          'user-agent': 'atelier',
          'accept-encoding': acceptEncoding,
          ...checkHeaders(headers),
        },
        body: body ?? null,
      }
      pool ??= openPool()
      const answer = await exchange(await pool, message, { timeoutMs, signal })
      try {
        const isBodiless = method === 'HEAD' || answer.status === 204 || answer.status === 304
        const content = isBodiless ? answer.raw.resume() : cappedBody(answer, maxBytes)
        return { status: answer.status, headers: answer.headers, body: content }
      } catch (error) {
        answer.raw.destroy()
        if (!options.statusCounts) throw error
        return { status: answer.status, headers: answer.headers, body: answer.raw }
      }
    },

    close: async () => (await pool)?.destroy(),
  }
}

/** Returns the headers with lower-case names; the last of several spellings of a name wins. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(headers)) {
    if (!isSettableHeader(name) || !isHeaderValue(value)) throw new OutboundRefused('HEADER')
    checked[name.toLowerCase()] = value
  }
  return checked
}
