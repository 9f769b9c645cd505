import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createKeysInUse } from '#auth/keys-in-use.ts'

const nowMs = 1_000_000
const key = `sk_${'a'.repeat(38)}`

function remembering(...keys: string[]) {
  const inUse = createKeysInUse()
  inUse.hashOf(key, nowMs)
  for (const one of keys) inUse.remember(one, `hash of ${one}`)
  return inUse
}

describe('the hash of a key in use', () => {
  test('is cached for seconds, and not longer even while requests continue', () => {
    const inUse = remembering(key)
    assert.equal(inUse.hashOf(key, nowMs + 3_999), `hash of ${key}`)
    assert.equal(inUse.hashOf(key, nowMs + 4_000), undefined)
  })

  test('is forgotten when the clock is set back', () => {
    const inUse = remembering(key)
    assert.equal(inUse.hashOf(key, nowMs - 1), undefined)
  })

  test('is removed when all are', () => {
    const inUse = remembering(key)
    inUse.clear()
    assert.equal(inUse.hashOf(key, nowMs), undefined)
  })

  test('is not cached for anything longer than a key, nor for more than a thousand keys', () => {
    const long = 'x'.repeat(65)
    const many = Array.from({ length: 1_001 }, (_, i) => `sk_${i}`)
    const inUse = remembering(long, ...many)
    assert.equal(inUse.hashOf(long, nowMs), undefined)
    assert.equal(inUse.hashOf('sk_999', nowMs), 'hash of sk_999')
    assert.equal(inUse.hashOf('sk_1000', nowMs), undefined)
  })
})
