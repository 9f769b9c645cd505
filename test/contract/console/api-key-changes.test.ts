import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limitedKeys } from '#api/console/usage/spend-limits.ts'
import { insertApiKey } from '#store/tables/api-keys.ts'
import { databases } from '../../support/databases.ts'
import { startProcess, verified } from '../auth/setting.ts'
import { openPeople, type Someone } from './people.ts'

const hourMs = 3_600_000
type Key = { id: string; key: string; name: string; scopes: string[]; limits: object }

const create = (someone: Someone, body: object) => someone.data<Key>('createApiKey', { body })
const settings = (change: object = {}) => ({
  name: 'changed',
  scopes: ['runs:read'],
  limits: { chatPerMinute: 3, spendPerMonth: 1.5 },
  expiresAt: null,
  ...change,
})

for (const { name, open } of databases) {
  describe(`changes of API keys on ${name}`, () => {
    test('a changed key has its new name, scopes, limits and end, at once here', async () => {
      await using people = await openPeople(open)
      const { clock, me, verifier } = people
      const { key, id } = await create(me, { name: 'x' })
      await verified(verifier, key)
      const expiresAt = new Date(clock.at + hourMs).toISOString()
      const body = settings({ expiresAt })
      const shown = await me.data<Key>('updateApiKey', {
        params: { keyId: id.toUpperCase() },
        body,
      })
      assert.deepEqual({ ...shown, ...body }, shown)
      const { items } = await me.data<{ items: Key[] }>('listApiKeys')
      assert.deepEqual(items, [shown])
      const principal = await verified(verifier, key)
      assert.deepEqual(principal.scopes, new Set(['runs:read']))
      assert.deepEqual(principal.limits, { chatPerMinute: 3, spendPerMonthMicros: 1_500_000 })
      clock.at += hourMs
      await assert.rejects(verified(verifier, key), { code: 'CREDENTIAL_EXPIRED' })
    })

    test('another process knows of the change within five seconds', async () => {
      await using people = await openPeople(open)
      const { db, clock, me } = people
      const other = await startProcess(db, clock)
      const { key, id } = await create(me, { name: 'x' })
      await verified(other.verifier, key)
      await me.data('updateApiKey', { params: { keyId: id }, body: settings() })
      clock.at += 5_000
      const { scopes } = await verified(other.verifier, key)
      assert.deepEqual(scopes, new Set(['runs:read']))
    })

    test('a key of another account, a revoked one and none at all are not found', async () => {
      await using people = await openPeople(open)
      const { me, stranger, nobody, verifier } = people
      const mine = await create(me, { name: 'x' })
      const revoked = await create(stranger, { name: 'x' })
      await stranger.data('revokeApiKey', { params: { keyId: revoked.id } })
      for (const keyId of [mine.id, revoked.id, crypto.randomUUID()]) {
        const call = { params: { keyId }, body: settings() }
        const { status, message } = await stranger.refusal('updateApiKey', call)
        assert.deepEqual([status, message], [404, 'There is no such API key.'])
      }
      assert.equal((await verified(verifier, mine.key)).scopes.size, 8)
      const call = { params: { keyId: mine.id }, body: settings() }
      assert.equal((await nobody.refusal('updateApiKey', call)).code, 'AUTH_REQUIRED')
      const forged = await me.refusal('updateApiKey', { ...call, origin: 'other' })
      assert.equal(forged.code, 'ORIGIN_NOT_ALLOWED')
    })

    test('an expired key comes back only where there is room for it', async () => {
      await using people = await openPeople(open)
      const { clock, me } = people
      const expiresAt = new Date(clock.at + hourMs).toISOString()
      const { id } = await create(me, { name: 'x', expiresAt })
      clock.at += hourMs
      const keys: Key[] = []
      for (let i = 0; i < 50; i++) keys.push(await create(me, { name: `${i}` }))
      const back = { params: { keyId: id }, body: settings() }
      assert.equal((await me.refusal('updateApiKey', back)).code, 'QUOTA_EXCEEDED')
      const [first] = keys
      assert.ok(first)
      // A live one may be changed, however many there are.
      await me.data('updateApiKey', { params: { keyId: first.id }, body: settings() })
      await me.data('revokeApiKey', { params: { keyId: first.id } })
      assert.equal((await me.data<Key>('updateApiKey', back)).name, 'changed')
    })

    test('a live key and its limit are shown however many newer ones have expired', async () => {
      await using people = await openPeople(open)
      const { db, clock, me } = people
      const { id } = await create(me, { name: 'deploys', limits: { spendPerMonth: 5 } })
      const { accountId } = me
      // As a program makes them that asks for a key of an hour again and again.
      const scopes = ['runs:read'] as const
      const past = { accountId, userId: null, name: 'hourly', display: '', scopes, limits: {} }
      clock.at += hourMs
      await db.transaction(async (tx) => {
        for (let i = 0; i < 200; i++) {
          const own = { id: crypto.randomUUID(), keyHash: `${accountId} ${i}` }
          await insertApiKey(tx, {
            ...past,
            ...own,
            nowMs: clock.at - 2,
            expiresAtMs: clock.at - 1,
          })
        }
      })
      const { items } = await me.data<{ items: Key[] }>('listApiKeys')
      assert.equal(items[0]?.id, id)
      const limited = [{ keyId: id, name: 'deploys', limit: 5_000_000 }]
      assert.deepEqual(await limitedKeys(db, accountId, clock.at), limited)
    })

    test('what is no setting is a bad request', async () => {
      await using people = await openPeople(open)
      const { me } = people
      const { id } = await create(me, { name: 'x' })
      const unacceptable = [
        {},
        { name: 'x' },
        settings({ name: ' ' }),
        settings({ scopes: [] }),
        settings({ scopes: ['admin'] }),
        settings({ expiresAt: '2001-01-01T00:00:00Z' }),
        settings({ expiresAt: '2031-12-31T23:59:60Z' }),
        settings({ limits: { chatPerMinute: 0 } }),
        settings({ key: 'sk_mine' }),
      ]
      for (const body of unacceptable) {
        const refusal = await me.refusal('updateApiKey', { params: { keyId: id }, body })
        assert.equal(refusal.code, 'INVALID_REQUEST', JSON.stringify(body))
      }
    })
  })
}
