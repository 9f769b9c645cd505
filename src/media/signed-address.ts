import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#core/clock.ts'

const hourSeconds = 3_600
const validHours = 24

export type SignedAddresses = {
  urlOf(id: string): string
  /** Null unless this server signed exactly this URL and it has not expired. */
  verify(id: string, query: unknown): { maxAgeSeconds: number } | null
  /**
   * The media that a URL of this server refers to, or null for any other URL. A server has many
   * names (localhost, 127.0.0.1, behind a proxy), so the signature decides and not the host.
   */
  recognise(url: string): { readonly id: string; readonly isGranted: boolean } | null
}

/** Anyone who has the URL can read the media it names until it expires, and nothing else. */
export function signedAddresses(options: {
  signingKey: Uint8Array
  /** The previous key: addresses that were signed with it are still accepted. */
  oldSigningKey?: Uint8Array
  baseUrl: string
  clock: Clock
}): SignedAddresses {
  const nowSeconds = () => Math.floor(options.clock.nowMs() / 1_000)
  // The prefix keeps these signatures apart from others made with the same key.
  const sign = (id: string, exp: string, key = options.signingKey) =>
    createHmac('sha256', key).update(`media-address\n${id}\n${exp}`).digest('base64url')

  /** Compares text, because decoding would ignore the unused bits of the last base64 letter. */
  const isSigned = (id: string, exp: string, sig: string) =>
    /^[1-9][0-9]{0,11}$/.test(exp) &&
    /^[A-Za-z0-9_-]{43}$/.test(sig) &&
    [options.signingKey, options.oldSigningKey].some(
      (key) => key && timingSafeEqual(Buffer.from(sig), Buffer.from(sign(id, exp, key))),
    )

  const verify: SignedAddresses['verify'] = (id, query) => {
    const { exp, sig } = readQuery(query)
    if (!isSigned(id, exp, sig)) return null
    const maxAgeSeconds = Number(exp) - nowSeconds()
    return maxAgeSeconds > 0 ? { maxAgeSeconds } : null
  }

  return {
    verify,
    urlOf(id) {
      // The URL stays the same for an hour, so that browsers can use their cache, and is valid
      // for at least a day.
      const hours = Math.floor(nowSeconds() / hourSeconds) + 1 + validHours
      const exp = String(hours * hourSeconds)
      return `${options.baseUrl}/media/${id}?exp=${exp}&sig=${sign(id, exp)}`
    },
    recognise(url) {
      // Parsing is slow, and a value may hold many URLs of other servers.
      const parsed = url.includes('/media/') ? URL.parse(url) : null
      const id = parsed && /\/media\/([^/]+)$/.exec(parsed.pathname)?.[1]
      if (!id) return null
      const query = Object.fromEntries(parsed.searchParams)
      const isOurs = url.startsWith(`${options.baseUrl}/media/`)
      // An expired URL is still ours. Treating it as foreign would only lead to a failed download.
      const { exp, sig } = readQuery(query)
      if (!isOurs && !isSigned(id, exp, sig)) return null
      return {
        id,
        get isGranted() {
          return verify(id, query) !== null
        },
      }
    },
  }
}

/** A repeated parameter arrives as an array and counts as absent. */
function readQuery(query: unknown): { exp: string; sig: string } {
  const fields = new Map(Object.entries(query ?? {}))
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return { exp: text(fields.get('exp')), sig: text(fields.get('sig')) }
}
