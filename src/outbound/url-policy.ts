import { isIP } from 'node:net'
import { type AllowList, createAllowList, isPublicAddress } from './address-policy.ts'
import { OutboundRefused } from './outbound-errors.ts'

const maxChars = 2048
const nothingAllowed = createAllowList([])

// Zones that only ever name machines near the server, each also refused as a bare name.
const localZones = ['localhost', 'local', 'internal', 'home.arpa']

/**
 * Everything that can be said about an address without asking a resolver. The WHATWG parser has
 * already turned decimal, octal, hex, short and full-width spellings into plain addresses, so
 * only its result is judged and only its result may be used afterwards.
 *
 * An allow-list lifts the ADDRESS rule for its ranges, and the HOST rule for a name all of whose
 * addresses lie inside it (`localhost` in development); the latter needs a resolver, so a
 * non-empty list leaves local names to `checkHost`. It never lifts scheme, userinfo or port.
 */
export function checkUrl(text: string, allow: AllowList = nothingAllowed): URL {
  const url = text.length > maxChars ? null : URL.parse(text)
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
 * Judges a host by the addresses it stands for: one bad address refuses it, since the next
 * resolution may put that one first. No addresses: the name alone is judged.
 */
export function checkHost(host: string, addresses: readonly string[], allow: AllowList): void {
  if (isIP(host) === 0 && !isPublicName(host)) {
    const isOpened = addresses.length > 0 && addresses.every((address) => allow.includes(address))
    if (!isOpened) throw new OutboundRefused('HOST')
  }
  const isFine = (address: string) => allow.includes(address) || isPublicAddress(address)
  if (!addresses.every(isFine)) throw new OutboundRefused('ADDRESS')
}

/** The host as resolvers and sockets spell it: an IPv6 literal without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

// The parser leaves a scheme's default port empty.
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
