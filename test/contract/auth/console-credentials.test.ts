import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { scopes } from '#core/scopes.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { type Browser, openConsole } from './console.ts'
import { handClock, invalid, migrations, verified } from './setting.ts'

const hourMs = 3_600_000
type Key = { id: string; key: string; expiresAt: string | null; revokedAt: string | null }
type Listed = { items: (Key & { lastUsedAt: string | null; display: string; name: string })[] }

for (const { name, open } of databases) {
  describe(`credentials made in the console on ${name}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await open({ migrations })
    })
    after(() => database.close())

    async function setting() {
      const clock = handClock()
      const opened = await openConsole(database.db, clock)
      const newcomer = async () => {
        const browser = opened.browser()
        const email = `${randomBytes(8).toString('hex')}@example.com`
        const body = { email, password: 'correct horse battery' }
        await browser.data('signUp', { body, ipAddress: `192.0.2.${randomBytes(1)[0]}` })
        return browser
      }
      return { clock, ...opened, newcomer, mine: await newcomer() }
    }

    const create = (browser: Browser, body: object) => browser.data<Key>('createApiKey', { body })

    test('nobody without a session gets anything', async () => {
      const { browser } = await setting()
      const body = { name: 'x', spendLimit: null }
      const calls = {
        listApiKeys: {},
        createApiKey: { body: { name: 'x' } },
        revokeApiKey: { params: { keyId: crypto.randomUUID() } },
        mintToken: {},
        getWebhookSecret: {},
        rotateWebhookSecret: {},
        getAccount: {},
        updateAccount: { body },
        changePassword: { body: { currentPassword: 'x', newPassword: 'x'.repeat(12) } },
      }
      for (const [operation, given] of Object.entries(calls)) {
        const refusal = await browser().refusal(operation, given)
        assert.equal(refusal.code, 'AUTH_REQUIRED', operation)
        assert.deepEqual(refusal.headers, { 'WWW-Authenticate': 'Session realm="console"' })
      }
    })

    test('a new key is shown once, works, and has every scope by default', async () => {
      const { mine, verifier } = await setting()
      const { key, id } = await create(mine, { name: 'CI' })
      const principal = await verified(verifier, key)
      assert.deepEqual(principal.scopes, new Set(scopes))
      assert.equal(principal.keyId, id)
      const { items } = await mine.data<Listed>('listApiKeys')
      assert.deepEqual(
        items.map((item) => [item.id, item.name, item.display]),
        [[id, 'CI', `${key.slice(0, 9)}…${key.slice(-4)}`]],
      )
      assert.equal(JSON.stringify(items).includes(key), false)
      const rows = await database.db.query<object>('select * from api_keys')
      assert.equal(JSON.stringify(rows).includes(key.slice(3)), false)
    })

    test('a name is trimmed before it is measured', async () => {
      const { mine } = await setting()
      const long = 'ä😀'.repeat(50)
      await create(mine, { name: `\n  ${long}  ` })
      const { items } = await mine.data<Listed>('listApiKeys', {})
      assert.equal(items[0]?.name, long)
      await mine.data('updateAccount', { body: { name: `  ${long}\t`, spendLimit: null } })
      assert.equal((await mine.data<{ name: string }>('getAccount', {})).name, long)
    })

    test('a key may have fewer scopes, an end and limits', async () => {
      const { clock, mine, verifier } = await setting()
      const limits = { requestsPerMinute: 5, spendPerMonth: 12.5 }
      const expiresAt = new Date(clock.at + hourMs).toISOString()
      const shown = await create(mine, { name: 'narrow', scopes: ['runs:read'], expiresAt, limits })
      assert.equal(shown.expiresAt, expiresAt)
      const principal = await verified(verifier, shown.key)
      assert.deepEqual(principal.scopes, new Set(['runs:read']))
      assert.deepEqual(principal.limits, { requestsPerMinute: 5, spendPerMonthMicros: 12_500_000 })
      const { items } = await mine.data<{ items: { limits: object }[] }>('listApiKeys')
      assert.deepEqual(items[0]?.limits, limits)
      clock.at += hourMs
      await assert.rejects(verified(verifier, shown.key), { code: 'CREDENTIAL_EXPIRED' })
    })

    const unacceptable: [string, object][] = [
      ['no name', {}],
      ['an empty name', { name: '' }],
      ['a blank name', { name: '   ' }],
      ['a name of 101 letters', { name: 'x'.repeat(101) }],
      ['a name that PostgreSQL cannot store', { name: 'a\u0000b' }],
      ['a name that is not well-formed text', { name: 'a\ud800b' }],
      ['a name of two lines', { name: 'a\nb' }],
      ['an unknown scope', { name: 'x', scopes: ['admin'] }],
      ['no scope at all', { name: 'x', scopes: [] }],
      ['an end in the past', { name: 'x', expiresAt: '2001-01-01T00:00:00Z' }],
      ['an end in a leap second', { name: 'x', expiresAt: '2031-12-31T23:59:60Z' }],
      ['an end that is no time', { name: 'x', expiresAt: 'tomorrow' }],
      ['a limit of nothing', { name: 'x', limits: { chatPerMinute: 0 } }],
      ['an unknown limit', { name: 'x', limits: { tokens: 1 } }],
    ]
    for (const [what, body] of unacceptable) {
      test(`a key with ${what} is a bad request`, async () => {
        const { mine } = await setting()
        assert.equal((await mine.refusal('createApiKey', { body })).code, 'INVALID_REQUEST')
      })
    }

    test('a revoked key stops at once and stays listed as revoked', async () => {
      const { clock, mine, verifier } = await setting()
      const { key, id } = await create(mine, { name: 'x' })
      await verified(verifier, key)
      clock.at += 1_000
      const revoked = await mine.data<Key>('revokeApiKey', { params: { keyId: id } })
      assert.equal(revoked.revokedAt, new Date(clock.at).toISOString())
      await assert.rejects(verified(verifier, key), invalid)
      clock.at += 1_000
      const again = await mine.data<Key>('revokeApiKey', { params: { keyId: id.toUpperCase() } })
      assert.equal(again.revokedAt, revoked.revokedAt)
    })

    test('another account’s key cannot be seen or revoked', async () => {
      const { newcomer, mine, verifier } = await setting()
      const { key, id } = await create(mine, { name: 'x' })
      const theirs = await newcomer()
      assert.deepEqual(await theirs.data<Listed>('listApiKeys'), { items: [] })
      const refusal = await theirs.refusal('revokeApiKey', { params: { keyId: id } })
      const missing = await theirs.refusal('revokeApiKey', {
        params: { keyId: crypto.randomUUID() },
      })
      assert.equal(refusal.status, 404)
      assert.deepEqual([refusal.code, refusal.message], [missing.code, missing.message])
      await verified(verifier, key)
    })

    test('an account has at most 50 live keys', async () => {
      const { mine } = await setting()
      const created: Key[] = []
      for (let i = 0; i < 50; i++) created.push(await create(mine, { name: `key ${i}` }))
      const refusal = await mine.refusal('createApiKey', { body: { name: 'one more' } })
      assert.deepEqual([refusal.code, refusal.retryable], ['QUOTA_EXCEEDED', false])
      await mine.data('revokeApiKey', { params: { keyId: created[0]?.id ?? '' } })
      await create(mine, { name: 'one more' })
    })

    test('a key shows when it was last used', async () => {
      const { clock, mine, verifier } = await setting()
      const { key } = await create(mine, { name: 'x' })
      await verified(verifier, key)
      await verifier.flush()
      const { items } = await mine.data<Listed>('listApiKeys')
      assert.equal(items[0]?.lastUsedAt, new Date(clock.at).toISOString())
    })

    test('a token can be minted, narrower and shorter on request', async () => {
      const { clock, mine, verifier } = await setting()
      const account = await mine.data('getAccount')
      const full = await mine.data<{ accessToken: string; expiresAt: string }>('mintToken')
      assert.equal(full.expiresAt, new Date(clock.at + 900_000).toISOString())
      const principal = await verified(verifier, full.accessToken)
      assert.deepEqual(principal.scopes, new Set(scopes))
      assert.equal(principal.accountId, account.id)
      const narrow = await mine.data<{ accessToken: string }>('mintToken', {
        body: { scopes: ['models:read'], ttlSeconds: 60 },
      })
      assert.deepEqual(
        (await verified(verifier, narrow.accessToken)).scopes,
        new Set(['models:read']),
      )
      for (const body of [{ ttlSeconds: 901 }, { ttlSeconds: 0 }, { scopes: ['admin'] }]) {
        assert.equal((await mine.refusal('mintToken', { body })).code, 'INVALID_REQUEST')
      }
    })

    test('the webhook secret is shown as receivers need it and rotates with a day of overlap', async () => {
      const { clock, mine, newcomer } = await setting()
      type Secret = { secret: string; previousValidUntil: string | null }
      const first = await mine.data<Secret>('getWebhookSecret')
      assert.match(first.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.equal(first.previousValidUntil, null)
      assert.deepEqual(await mine.data('getWebhookSecret'), first)
      const second = await mine.data<Secret>('rotateWebhookSecret')
      assert.notEqual(second.secret, first.secret)
      assert.equal(second.previousValidUntil, new Date(clock.at + 24 * hourMs).toISOString())
      assert.deepEqual(await mine.data('getWebhookSecret'), second)
      const theirs = await (await newcomer()).data<Secret>('getWebhookSecret')
      assert.notEqual(theirs.secret, second.secret)
    })

    test('the account’s name and spend limit can be changed, and hold at once', async () => {
      const { mine, verifier } = await setting()
      const { key } = await create(mine, { name: 'x' })
      await verified(verifier, key)
      const changed = await mine.data('updateAccount', {
        body: { name: 'Studio', spendLimit: 20.25 },
      })
      assert.deepEqual([changed.name, changed.spendLimit], ['Studio', 20.25])
      assert.deepEqual(await mine.data('getAccount'), changed)
      assert.equal((await verified(verifier, key)).accountSpendPerMonthMicros, 20_250_000)
      await mine.data('updateAccount', { body: { name: 'Studio', spendLimit: null } })
      assert.equal((await verified(verifier, key)).accountSpendPerMonthMicros, null)
      for (const body of [
        { name: 'x' },
        { name: 'x', spendLimit: -1 },
        { name: '', spendLimit: 1 },
      ]) {
        assert.equal((await mine.refusal('updateAccount', { body })).code, 'INVALID_REQUEST')
      }
    })
  })
}
