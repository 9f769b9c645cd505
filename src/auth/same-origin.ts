export type OriginHeaders = { origin?: string | undefined; 'sec-fetch-site'?: string | undefined }

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Whether a browser states that one of our own pages sent this request. A request without these
 * headers does not qualify, because every browser sends Origin with an unsafe method. The loopback
 * names are interchangeable: people type `localhost` where the base URL says 127.0.0.1, and no
 * other site can use those names.
 */
export function isSameOrigin(headers: OriginHeaders, baseUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return site !== undefined
  const sent = URL.parse(origin)
  const own = new URL(baseUrl)
  // Rejects values with a path, which a serialised origin never has, and "null".
  if (!sent || sent.origin !== origin) return false
  if (sent.origin === own.origin) return true
  return (
    sent.protocol === own.protocol &&
    sent.port === own.port &&
    loopback.has(sent.hostname) &&
    loopback.has(own.hostname)
  )
}
