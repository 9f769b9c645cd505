import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createAccountCache } from '#core/account-cache.ts'

describe('a cache that accounts share', () => {
  test('returns what was stored, only to its account', () => {
    const cache = createAccountCache<string>({ maxBytes: 400 })
    cache.set('ada', 'k', 'hers', 10)
    assert.deepEqual([cache.get('ada', 'k'), cache.get('bob', 'k')], ['hers', undefined])
    cache.set('ada', 'k', 'new', 20)
    assert.deepEqual([cache.get('ada', 'k'), cache.bytes], ['new', 20])
  })

  test('keeps an account within its quarter, and evicts its least recently used entries', () => {
    const cache = createAccountCache<number>({ maxBytes: 400 })
    for (const key of [1, 2, 3]) cache.set('ada', `${key}`, key, 30)
    cache.get('ada', '1')
    cache.set('ada', '4', 4, 30)
    assert.deepEqual(
      [1, 2, 3, 4].map((key) => cache.get('ada', `${key}`)),
      [1, undefined, 3, 4],
    )
    assert.equal(cache.bytes, 90)
  })

  test('lets no account evict everything of the others', () => {
    const cache = createAccountCache<number>({ maxBytes: 400 })
    for (let i = 0; i < 10; i++) cache.set('bob', `${i}`, i, 10)
    for (let i = 0; i < 1_000; i++) cache.set('greedy', `${i}`, i, 10)
    assert.equal(cache.get('bob', '9'), 9)
    assert.equal(cache.get('bob', '0'), 0)
    assert.equal(cache.bytes, 200)
  })

  test('does not store an entry larger than a quarter', () => {
    const cache = createAccountCache<string>({ maxBytes: 400 })
    cache.set('ada', 'small', 'small', 10)
    cache.set('ada', 'small', 'large', 101)
    cache.set('bob', 'large', 'large', 401)
    assert.deepEqual([cache.get('ada', 'small'), cache.get('bob', 'large')], [undefined, undefined])
    assert.equal(cache.bytes, 0)
  })

  test('never exceeds its limit, whatever is stored', () => {
    const step = fc.record({
      account: fc.integer({ min: 0, max: 9 }),
      key: fc.integer({ min: 0, max: 9 }),
      bytes: fc.integer({ min: 1, max: 150 }),
      isRead: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const cache = createAccountCache<number>({ maxBytes: 400 })
        const last = new Map<string, number>()
        for (const { account, key, bytes, isRead } of steps) {
          const [owner, name] = [`${account}`, `${key}`]
          if (!isRead) {
            cache.set(owner, name, bytes, bytes)
            last.set(`${owner} ${name}`, bytes)
          }
          const found = cache.get(owner, name)
          if (found !== undefined) assert.equal(found, last.get(`${owner} ${name}`))
          assert.ok(cache.bytes <= 400)
        }
        const kept = [...last].map(([id]) => cache.get(...(id.split(' ') as [string, string])) ?? 0)
        assert.equal(
          kept.reduce((sum, bytes) => sum + bytes, 0),
          cache.bytes,
        )
      }),
    )
  })
})
