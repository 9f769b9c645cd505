export type OriginHeaders = { origin?: string | undefined; 'sec-fetch-site'?: string | undefined }

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Whether a browser says that one of our own pages sent this. Silence is a no: every browser
 * sends Origin with an unsafe method. The names of this machine stand for each other, because
 * people type `localhost` where the base address has 127.0.0.1; no other site can take them.
 */
export function isSameOrigin(headers: OriginHeaders, baseUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return site !== undefined
  const sent = URL.parse(origin)
  const own = new URL(baseUrl)
  // A serialised origin has no path; "null" does not parse.
  if (!sent || sent.origin !== origin) return false
  if (sent.origin === own.origin) return true
  return (
    sent.protocol === own.protocol &&
    sent.port === own.port &&
    loopback.has(sent.hostname) &&
    loopback.has(own.hostname)
  )
}
