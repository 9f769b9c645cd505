import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#core/clock.ts'

const hourSeconds = 3_600
const validHours = 24

export type SignedAddresses = {
  urlOf(id: string): string
  /** Null unless this server signed exactly this and it has not expired. */
  verify(id: string, query: unknown): { maxAgeSeconds: number } | null
  /**
   * The media that an address of this server names, or null for anybody else's address. A server
   * has many names (localhost, 127.0.0.1, behind a proxy), so the signature tells, not the host.
   */
  recognise(url: string): { id: string; isGranted: boolean } | null
}

/** Whoever holds the address may read what it names until it expires, and nothing else. */
export function signedAddresses(options: {
  signingKey: Uint8Array
  baseUrl: string
  clock: Clock
}): SignedAddresses {
  const nowSeconds = () => Math.floor(options.clock.nowMs() / 1_000)
  // The leading word keeps signatures made with this key for other purposes apart.
  const sign = (id: string, exp: string) =>
    createHmac('sha256', options.signingKey)
      .update(`media-address\n${id}\n${exp}`)
      .digest('base64url')

  /** As text: the last letter carries spare bits that decoding would forgive. */
  const isSigned = (id: string, exp: string, sig: string) =>
    /^[1-9][0-9]{0,11}$/.test(exp) &&
    /^[A-Za-z0-9_-]{43}$/.test(sig) &&
    timingSafeEqual(Buffer.from(sig), Buffer.from(sign(id, exp)))

  const verify: SignedAddresses['verify'] = (id, query) => {
    const { exp, sig } = readQuery(query)
    if (!isSigned(id, exp, sig)) return null
    const maxAgeSeconds = Number(exp) - nowSeconds()
    return maxAgeSeconds > 0 ? { maxAgeSeconds } : null
  }

  return {
    verify,
    urlOf(id) {
      // Same address for an hour, so that browsers reuse what they have; then a day at least.
      const hours = Math.floor(nowSeconds() / hourSeconds) + 1 + validHours
      const exp = String(hours * hourSeconds)
      return `${options.baseUrl}/media/${id}?exp=${exp}&sig=${sign(id, exp)}`
    },
    recognise(url) {
      const parsed = URL.parse(url)
      const id = parsed && /\/media\/([^/]+)$/.exec(parsed.pathname)?.[1]
      if (!id) return null
      const query = Object.fromEntries(parsed.searchParams)
      const isOurs = url.startsWith(`${options.baseUrl}/media/`)
      // An expired address is still one of ours: fetching it could only fail.
      const { exp, sig } = readQuery(query)
      if (!isOurs && !isSigned(id, exp, sig)) return null
      return { id, isGranted: verify(id, query) !== null }
    },
  }
}

/** A repeated parameter arrives as an array and counts as absent. */
function readQuery(query: unknown): { exp: string; sig: string } {
  const fields = new Map(Object.entries(query ?? {}))
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return { exp: text(fields.get('exp')), sig: text(fields.get('sig')) }
}
