import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [Address, number]

const ranges = (cidrs: readonly string[]): Range[] => cidrs.map((cidr) => ipaddr.parseCIDR(cidr))

const refusedV4 = ranges([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier NAT; also a cloud's metadata at 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's host agent, on an otherwise public address
  '169.254.0.0/16', // link-local, the usual metadata address
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relay
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
])

// Addresses outside this range are refused: loopback, mapped and compatible IPv4, NAT64,
// unique-local, link-local, site-local, multicast.
const globalV6 = ranges(['2000::/3'])

const refusedV6 = ranges([
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarking
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4 wraps an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
])

// Only canonical spellings count as addresses. One with a zone (%eth0) does not, because it is
// local to a link.
const parse = (text: string): Address | null =>
  isIP(text) === 0 || text.includes('%') ? null : ipaddr.parse(text)

// A range only matches addresses of its own family: allowing 127.0.0.1 does not allow
// ::ffff:127.0.0.1.
const isWithin = (address: Address, list: readonly Range[]): boolean =>
  list.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))

export function isPublicAddress(text: string): boolean {
  const address = parse(text)
  if (address === null) return false
  if (address.kind() === 'ipv4') return !isWithin(address, refusedV4)
  return isWithin(address, globalV6) && !isWithin(address, refusedV6)
}

/** True if both texts spell the same address; false if either is not an address. */
export function isSameAddress(left: string, right: string): boolean {
  // The common case: identical spellings need no parsing.
  if (left === right) return isIP(left) !== 0 && !left.includes('%')
  const [a, b] = [parse(left), parse(right)]
  return a !== null && b !== null && a.toNormalizedString() === b.toNormalizedString()
}

/** Non-public ranges that the operator allows. */
export type AllowList = { readonly isEmpty: boolean; includes(address: string): boolean }

/** Expects CIDRs that the configuration has already validated. */
export function createAllowList(cidrs: readonly string[]): AllowList {
  const allowed = ranges(cidrs)
  return {
    isEmpty: allowed.length === 0,
    includes(text) {
      const address = parse(text)
      return address !== null && isWithin(address, allowed)
    },
  }
}
