import { isIP } from 'node:net'
import { type AllowList, createAllowList, isPublicAddress } from './address-policy.ts'
import { OutboundRefused } from './outbound-errors.ts'

export const maxUrlChars = 2048
const nothingAllowed = createAllowList([])

// Zones whose names only ever belong to machines near the server. The bare zone is refused too.
const localZones = ['localhost', 'local', 'internal', 'home.arpa']

/**
 * Makes every check on a URL that needs no DNS lookup. The WHATWG parser turns decimal, octal,
 * hex, short and full-width spellings into plain addresses. Only its result is checked, so
 * callers must use only the URL returned here.
 *
 * An allow-list lifts the ADDRESS rule for its ranges. It also lifts the HOST rule for a name
 * whose addresses all lie inside it (`localhost` in development). That needs a lookup, so with a
 * non-empty list local names are left to `checkHost`. The rules on scheme, userinfo and port
 * always apply.
 */
export function checkUrl(text: string, allow: AllowList = nothingAllowed): URL {
  const url = text.length > maxUrlChars ? null : URL.parse(text)
  if (url === null) throw new OutboundRefused('SYNTAX')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new OutboundRefused('SCHEME')
  if (url.username !== '' || url.password !== '') throw new OutboundRefused('USERINFO')
  if (!isPortAllowed(url.port)) throw new OutboundRefused('PORT')
  const host = hostOf(url)
  if (isIP(host) !== 0) checkHost(host, [host], allow)
  else if (allow.isEmpty) checkHost(host, [], allow)
  return url
}

/**
 * Checks a host and the addresses it resolved to. A single bad address refuses the host, because
 * the next lookup may list that one first. Without addresses, only the name is checked.
 */
export function checkHost(host: string, addresses: readonly string[], allow: AllowList): void {
  if (isIP(host) === 0 && !isPublicName(host)) {
    const isOpened = addresses.length > 0 && addresses.every((address) => allow.includes(address))
    if (!isOpened) throw new OutboundRefused('HOST')
  }
  const isFine = (address: string) => allow.includes(address) || isPublicAddress(address)
  if (!addresses.every(isFine)) throw new OutboundRefused('ADDRESS')
}

/** The host as resolvers and sockets expect it: an IPv6 literal has no brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

// The URL parser returns an empty port for the default of the scheme.
function isPortAllowed(port: string): boolean {
  const number = Number(port)
  return port === '' || number === 80 || number === 443 || number >= 1024
}

function isPublicName(host: string): boolean {
  const name = host.replace(/\.$/, '')
  const labels = name.split('.')
  if (labels.length < 2 || labels.includes('')) return false
  return !localZones.some((zone) => name === zone || name.endsWith(`.${zone}`))
}
