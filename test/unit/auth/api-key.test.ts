import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { displayApiKey, isApiKey, makeApiKey } from '#auth/api-key.ts'

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('the checksum is the CRC-32 of the 32 letters, in base62, padded with zeros', () => {
  // Computed with another implementation.
  for (const key of [
    'sk_000000000000000000000000000000002wjyrI',
    'sk_abcdefghijklmnopqrstuvwxyzABCDEF1mVgZW',
    'sk_Q7xL2mN9pR4sT1vW8yZ3aB6cD5eF0gHj2VaaXC',
  ]) {
    assert.equal(isApiKey(key), true, key)
  }
})

test('every key made has the form of a key, whatever chance gives', () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 255 })), (stream) => {
      const key = makeApiKey((size) => Uint8Array.from({ length: size }, () => next(stream)))
      assert.match(key, /^sk_[0-9A-Za-z]{38}$/)
      assert.equal(isApiKey(key), true)
    }),
  )
})

const next = (stream: Iterator<number>): number => stream.next().value

test('a key with one letter changed is refused', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 3, max: 40 }),
      fc.constantFrom(...letters),
      (position, letter) => {
        const key = makeApiKey(randomBytes)
        fc.pre(key[position] !== letter)
        assert.equal(isApiKey(key.slice(0, position) + letter + key.slice(position + 1)), false)
      },
    ),
  )
})

test('no other text is accepted as a key', () => {
  const key = makeApiKey(randomBytes)
  const others = [
    '',
    'sk_',
    key.slice(1),
    key.slice(0, -1),
    `${key}0`,
    `${key}\n`,
    ` ${key}`,
    key.toUpperCase(),
    key.replace('sk_', 'pk_'),
    `sk_${'é'.repeat(38)}`,
  ]
  for (const other of others) assert.equal(isApiKey(other), false, JSON.stringify(other))
})

test('all 62 letters are equally likely', () => {
  const counts = new Map<string, number>()
  const keys = 4_000
  for (let i = 0; i < keys; i++) {
    for (const letter of makeApiKey(randomBytes).slice(3, 35)) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
  }
  const expected = (keys * 32) / 62
  // A byte taken modulo 62 would give the first eight letters a quarter more.
  for (const letter of letters) {
    assert.ok(Math.abs((counts.get(letter) ?? 0) - expected) < expected * 0.15, letter)
  }
})

test('a key is shown by its first nine and last four characters', () => {
  const key = makeApiKey(randomBytes)
  assert.equal(displayApiKey(key), `${key.slice(0, 9)}…${key.slice(37)}`)
})
