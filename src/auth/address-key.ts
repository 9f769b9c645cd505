import ipaddr from 'ipaddr.js'

/** What counts as one caller: an IPv4 address, or an IPv6 /64, which one subscriber usually has. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  if (!ipaddr.IPv6.isValid(address)) return 'unknown'
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  return `${parsed.parts.slice(0, 4).map(toHex).join(':')}::/64`
}

const toHex = (group: number): string => group.toString(16)
