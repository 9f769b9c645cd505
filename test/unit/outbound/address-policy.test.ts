import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { createAllowList, isPublicAddress, isSameAddress } from '#outbound/address-policy.ts'
import { rounds } from '../../support/rounds.ts'

// Written as numbers, independent of the policy's notation and library, as a second opinion.
const refusedV4: readonly (readonly [first: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

const toNumber = (text: string) =>
  text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
const toV4 = (value: number) =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
const spans = refusedV4.map(([first, bits]) => {
  const from = toNumber(first)
  return { from, to: from + 2 ** (32 - bits) - 1 }
})
const isRefused = (value: number) => spans.some(({ from, to }) => value >= from && value <= to)

const toV6 = (value: bigint) =>
  (value.toString(16).padStart(32, '0').match(/.{4}/g) ?? []).join(':')
const hex = (text: string) => BigInt(`0x${text.padEnd(32, '0')}`)
const inside = (value: bigint, prefix: string, bits: number) =>
  value >> BigInt(128 - bits) === hex(prefix) >> BigInt(128 - bits)
const isRefusedV6 = (value: bigint) =>
  !inside(value, '2', 3) ||
  inside(value, '20010000', 23) ||
  inside(value, '20010db8', 32) ||
  inside(value, '2002', 16) ||
  inside(value, '2620004f8000', 48) ||
  inside(value, '3fff0', 20)

it('an IPv4 address is public exactly outside the refused ranges', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (value) => {
      assert.equal(isPublicAddress(toV4(value)), !isRefused(value))
    }),
    { numRuns: rounds(2_000) },
  )
})

it('every IPv4 range ends exactly where the list says', () => {
  for (const { from, to } of spans) {
    for (const value of [from - 1, from, to, to + 1]) {
      if (value < 0 || value >= 2 ** 32) continue
      assert.equal(isPublicAddress(toV4(value)), !isRefused(value), toV4(value))
    }
  }
})

it('an address anywhere inside a refused IPv4 range is refused', () => {
  const within = fc
    .constantFrom(...spans)
    .chain(({ from, to }) => fc.integer({ min: from, max: to }))
  fc.assert(fc.property(within, (value) => assert.equal(isPublicAddress(toV4(value)), false)))
})

it('an IPv6 address is public exactly inside 2000::/3 and outside the refused ranges', () => {
  const anywhere = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })
  const nearPrefixes = fc
    .constantFrom(
      '2001',
      '20010db8',
      '2002',
      '2620004f8000',
      '3fff',
      '2',
      '3',
      'fc',
      'fe8',
      '0064ff9b',
    )
    .chain((prefix) => {
      const span = 2n ** BigInt(128 - 4 * prefix.length + 1)
      const from = hex(prefix) - span / 4n
      return fc.bigInt({ min: from, max: from + span })
    })
  fc.assert(
    fc.property(fc.oneof(anywhere, nearPrefixes), (value) => {
      assert.equal(isPublicAddress(toV6(value)), !isRefusedV6(value))
    }),
    { numRuns: rounds(3_000) },
  )
})

it('every IPv6 range ends exactly where the list says', () => {
  const edges: readonly (readonly [string, boolean])[] = [
    ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['2000::', true],
    ['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['2001::', false],
    ['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['2001:200::', true],
    ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['2001:db8::', false],
    ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['2001:db9::', true],
    ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['2002::', false],
    ['2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['2003::', true],
    ['2620:4f:7fff:ffff:ffff:ffff:ffff:ffff', true],
    ['2620:4f:8000::', false],
    ['2620:4f:8000:ffff:ffff:ffff:ffff:ffff', false],
    ['2620:4f:8001::', true],
    ['3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['3fff::', false],
    ['3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['3fff:1000::', true],
    ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['4000::', false],
  ]
  for (const [address, isPublic] of edges) assert.equal(isPublicAddress(address), isPublic, address)
})

it('no embedding of an IPv4 address in IPv6 makes it public', () => {
  const v4 = fc.integer({ min: 0, max: 2 ** 32 - 1 }).map(toV4)
  const form = fc.constantFrom('::ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', 'fe80::')
  fc.assert(
    fc.property(form, v4, (prefix, address) =>
      assert.equal(isPublicAddress(prefix + address), false),
    ),
  )
})

it('well-known public addresses are public', () => {
  for (const address of ['1.1.1.1', '8.8.8.8', '93.184.216.34', '168.63.129.15', '223.255.255.255'])
    assert.equal(isPublicAddress(address), true, address)
  for (const address of ['2606:4700:4700::1111', '2001:4860:4860::8888', '2A00:1450:4001::200E'])
    assert.equal(isPublicAddress(address), true, address)
})

it('a non-canonical address is never public', () => {
  for (const text of [
    '',
    'example.com',
    '8.8.8',
    '0x8.8.8.8',
    '010.8.8.8',
    '8.8.8.8 ',
    '134744072',
  ])
    assert.equal(isPublicAddress(text), false, text)
  for (const text of ['[2606:4700::1]', '2606:4700::1%eth0', '2606:4700::1/64', ':::', '::g'])
    assert.equal(isPublicAddress(text), false, text)
})

it('an allow-list admits its ranges, in their own family only', () => {
  const allow = createAllowList(['127.0.0.1/32', '10.1.0.0/16', '::1/128'])
  for (const inside of ['127.0.0.1', '10.1.255.255', '::1', '0:0:0:0:0:0:0:1'])
    assert.equal(allow.includes(inside), true, inside)
  for (const outside of ['127.0.0.2', '10.2.0.0', '::2', '::ffff:127.0.0.1', '::ffff:10.1.0.1'])
    assert.equal(allow.includes(outside), false, outside)
  for (const text of ['', 'localhost', '::1%lo', '127.1']) assert.equal(allow.includes(text), false)
})

it('two spellings of one address are the same, two addresses never', () => {
  assert.equal(isSameAddress('2606:4700::1', '2606:4700:0:0:0:0:0:1'), true)
  assert.equal(isSameAddress('8.8.8.8', '8.8.8.8'), true)
  assert.equal(isSameAddress('8.8.8.8', '::ffff:8.8.8.8'), false)
  assert.equal(isSameAddress('8.8.8.8', '8.8.4.4'), false)
  assert.equal(isSameAddress('', ''), false)
})
