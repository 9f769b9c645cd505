import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSecretBox } from '#store/secret-box.ts'

const box = createSecretBox(randomBytes(32))
const place = { table: 'webhook_secrets', row: 'account-1' }

test('what was sealed opens to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (plain) => {
      assert.deepEqual(new Uint8Array(box.open(place, box.seal(place, plain))), plain)
    }),
  )
})

test('the same secret never looks the same twice and never shows itself', () => {
  const plain = Buffer.from('the very secret secret')
  const one = Buffer.from(box.seal(place, plain))
  assert.notDeepEqual(one, Buffer.from(box.seal(place, plain)))
  assert.equal(one.includes(plain), false)
})

test('any changed bit is noticed', () => {
  const sealed = box.seal(place, randomBytes(32))
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const tampered = Uint8Array.from(sealed)
    tampered[bit >> 3] = (tampered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.throws(() => box.open(place, tampered), `bit ${bit}`)
  }
})

test('any cut is noticed', () => {
  const sealed = box.seal(place, randomBytes(32))
  for (let length = 0; length < sealed.length; length++) {
    assert.throws(() => box.open(place, sealed.subarray(0, length)), `length ${length}`)
  }
})

test('a secret moved to another row or table does not open', () => {
  const sealed = box.seal(place, randomBytes(32))
  assert.throws(() => box.open({ ...place, row: 'account-2' }, sealed))
  assert.throws(() => box.open({ ...place, table: 'signing_keys' }, sealed))
})

test('another master key opens nothing and has another fingerprint', () => {
  const other = createSecretBox(randomBytes(32))
  assert.throws(() => other.open(place, box.seal(place, randomBytes(32))))
  assert.notEqual(other.fingerprint, box.fingerprint)
})

test('the same master key gives the same fingerprint and opens what a peer sealed', () => {
  const master = randomBytes(32)
  const [one, two] = [createSecretBox(master), createSecretBox(master)]
  assert.equal(one.fingerprint, two.fingerprint)
  assert.equal(two.open(place, one.seal(place, Buffer.from('hello'))).toString(), 'hello')
  assert.equal(one.fingerprint.includes(master.toString('base64url')), false)
})

test('a master key of the wrong size is refused', () => {
  assert.throws(() => createSecretBox(randomBytes(16)), /32 bytes/)
})
