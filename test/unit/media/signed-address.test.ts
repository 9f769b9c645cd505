import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { signedAddresses } from '#media/signed-address.ts'

const hourMs = 3_600_000
const id = '01890a5d-ac96-774b-bcce-b302099a8057'
const otherId = '01890a5d-ac96-774b-bcce-b302099a8058'

function addressesAt(nowMs: number, signingKey = new Uint8Array(32).fill(1)) {
  return signedAddresses({
    signingKey,
    baseUrl: 'https://x.example',
    clock: { nowMs: () => nowMs },
  })
}
const queryOf = (url: string) => Object.fromEntries(new URL(url).searchParams)
const issuedMs = 1_700_000_000_000
const issued = queryOf(addressesAt(issuedMs).urlOf(id))

test('an address is under the public address of the service and names the media', () => {
  const url = new URL(addressesAt(issuedMs).urlOf(id))
  assert.equal(url.origin + url.pathname, `https://x.example/media/${id}`)
})

test('an address is good for a day at least, whenever it was made, and for 25 hours at most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), (nowMs) => {
      const query = queryOf(addressesAt(nowMs).urlOf(id))
      assert.ok(addressesAt(nowMs + 24 * hourMs).verify(id, query))
      assert.equal(addressesAt(nowMs + 25 * hourMs + 1_000).verify(id, query), null)
    }),
  )
})

test('the address stays the same within an hour, so that browsers can reuse what they have', () => {
  const start = Math.floor(issuedMs / hourMs) * hourMs
  const first = addressesAt(start).urlOf(id)
  assert.equal(addressesAt(start + hourMs - 1).urlOf(id), first)
  assert.notEqual(addressesAt(start + hourMs).urlOf(id), first)
})

test('the time it may be kept is the time until it expires', () => {
  const leftSeconds = Number(issued.exp) - issuedMs / 1_000
  assert.deepEqual(addressesAt(issuedMs).verify(id, issued), { maxAgeSeconds: leftSeconds })
})

test('an address ends at the second that it names', () => {
  const endsMs = Number(issued.exp) * 1_000
  assert.ok(addressesAt(endsMs - 1).verify(id, issued))
  assert.equal(addressesAt(endsMs).verify(id, issued), null)
})

test('an address opens only what it was made for', () => {
  assert.equal(addressesAt(issuedMs).verify(otherId, issued), null)
  assert.equal(addressesAt(issuedMs).verify(id.toUpperCase(), issued), null)
})

test('a later expiry needs a new signature', () => {
  const later = String(Number(issued.exp) + 1)
  assert.equal(addressesAt(issuedMs).verify(id, { ...issued, exp: later }), null)
})

test('another way to write the same expiry is refused', () => {
  for (const exp of [`0${issued.exp}`, `+${issued.exp}`, `${issued.exp}.0`, ` ${issued.exp}`]) {
    assert.equal(addressesAt(issuedMs).verify(id, { ...issued, exp }), null)
  }
})

test('a server with another key refuses the address', () => {
  assert.equal(addressesAt(issuedMs, new Uint8Array(32).fill(2)).verify(id, issued), null)
})

test('one changed character of the signature is enough to refuse it', () => {
  const sig = issued.sig ?? ''
  assert.equal(sig.length, 43)
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (let at = 0; at < sig.length; at++) {
    for (const letter of letters.replace(sig[at] ?? '', '')) {
      const changed = sig.slice(0, at) + letter + sig.slice(at + 1)
      assert.equal(addressesAt(issuedMs).verify(id, { ...issued, sig: changed }), null)
    }
  }
})

test('whatever a client sends as query is refused, and never makes it fail', () => {
  const odd: unknown[] = [
    undefined,
    null,
    7,
    'exp',
    [],
    {},
    { exp: issued.exp },
    { sig: issued.sig },
  ]
  odd.push({ exp: [issued.exp, issued.exp], sig: issued.sig }, { ...issued, sig: [issued.sig] })
  odd.push({ ...issued, sig: `${issued.sig}=` }, { ...issued, sig: 'ü'.repeat(43) })
  for (const query of odd) assert.equal(addressesAt(issuedMs).verify(id, query), null)
  fc.assert(
    fc.property(fc.anything(), (query) => {
      assert.equal(addressesAt(issuedMs).verify(id, query), null)
    }),
  )
})
