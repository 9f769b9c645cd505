import ipaddr from 'ipaddr.js'

/** Some proxies write the port of the caller, too: `192.0.2.7:50123`, `[2001:db8::1]:443`. */
const withPort = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+)):[0-9]{1,5}$/i

/** What counts as one caller: an IPv4 address, or an IPv6 /64, which one subscriber usually has. */
export function addressKey(given: string): string {
  const [, six, address = six ?? given] = withPort.exec(given) ?? []
  if (!address.includes(':')) return address
  if (!ipaddr.IPv6.isValid(address)) return 'unknown'
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  return `${parsed.parts.slice(0, 4).map(toHex).join(':')}::/64`
}

const toHex = (group: number): string => group.toString(16)
