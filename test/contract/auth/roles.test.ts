import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ConsoleContext } from '#api/console/context.ts'
import { consoleOperations } from '#api/console/registry.ts'
import type { CallContext } from '#api/operation.ts'
import { Failure } from '#core/errors.ts'
import { hasRole, type Role, roles } from '#core/roles.ts'
import { scopes } from '#core/scopes.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { migrations, startProcess, verified } from './setting.ts'
import { openTeam } from './team.ts'

const readScopes = scopes.filter((scope) => scope.endsWith(':read'))
type Key = { id: string; key: string; userId: string }

for (const { name, open } of databases) {
  describe(`roles on ${name}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await open({ migrations })
    })
    after(() => database.close())

    for (const role of roles) {
      test(`no operation above their role is open to a person with the role ${role}`, async () => {
        const { services, join } = await openTeam(database.db)
        const { browser } = await join(role)
        const session = await services.sessions.resolve(browser.cookieHeader())
        const context = { services, session, isSameOrigin: true } as ConsoleContext & CallContext
        for (const { id, access, handle } of consoleOperations) {
          const isAbove = access === 'operator' || (access !== 'public' && !hasRole(role, access))
          if (!isAbove) continue
          // Refused before the input is looked at, so that none is needed.
          const call = async () => handle(context, { params: {}, query: {}, body: {} })
          await assert.rejects(call, { code: 'INSUFFICIENT_ROLE' }, id)
        }
      })
    }

    test('everybody sees their role', async () => {
      const { join } = await openTeam(database.db)
      for (const role of roles) {
        const { browser } = await join(role)
        const { session } = await browser.data<{ session: { role: Role } }>('getSession')
        assert.equal(session.role, role)
      }
    })

    test('a viewer makes no key, and tokens that only read', async () => {
      const { join, verifier } = await openTeam(database.db)
      const { browser } = await join('viewer')
      await browser.data('listApiKeys')
      const { accessToken } = await browser.data<{ accessToken: string }>('mintToken', { body: {} })
      const principal = await verified(verifier, accessToken)
      assert.deepEqual(principal.scopes, new Set(readScopes))
      const body = { scopes: ['runs:read', 'runs:write'] }
      const refusal = await browser.refusal('mintToken', { body })
      assert.deepEqual(refusal.details, { scope: 'runs:write' })
      assert.equal(refusal.status, 403)
    })

    test('an editor changes their own keys, an owner everybody’s', async () => {
      const { owner, join } = await openTeam(database.db)
      const [{ browser: editor, userId }, { browser: other }] = [
        await join('editor'),
        await join('editor'),
      ]
      const key = await editor.data<Key>('createApiKey', { body: { name: 'mine' } })
      assert.equal(key.userId, userId)
      const settings = { name: 'new', scopes: ['runs:read'], limits: {}, expiresAt: null }
      const params = { keyId: key.id }
      for (const call of [
        () => other.call('updateApiKey', { params, body: settings }),
        () => other.call('revokeApiKey', { params }),
      ]) {
        await assert.rejects(call, { code: 'INSUFFICIENT_ROLE' })
      }
      await editor.data('updateApiKey', { params, body: settings })
      await owner.data('updateApiKey', { params, body: settings })
      const ownersKey = await owner.data<Key>('createApiKey', { body: { name: 'theirs' } })
      const refusal = await editor.refusal('revokeApiKey', { params: { keyId: ownersKey.id } })
      assert.equal(refusal.code, 'INSUFFICIENT_ROLE')
      await owner.data('revokeApiKey', { params })
    })

    test('keys and tokens do no more than the role of their maker, in every process within 5 s', async () => {
      const { services, clock, verifier, join } = await openTeam(database.db)
      const { browser, userId } = await join('editor')
      const { key } = await browser.data<Key>('createApiKey', { body: { name: 'k' } })
      const { accessToken } = await browser.data<{ accessToken: string }>('mintToken', { body: {} })
      const elsewhere = await startProcess(services.db, clock)
      const credentials = [key, accessToken]
      for (const credential of credentials) {
        for (const process of [verifier, elsewhere.verifier]) {
          assert.deepEqual((await verified(process, credential)).scopes, new Set(scopes))
        }
      }
      await services.db.write(`update users set role = 'viewer' where id = $1`, [userId])
      assert.equal((await browser.refusal('createApiKey', { body: { name: 'x' } })).status, 403)
      clock.at += 5_000
      for (const credential of credentials) {
        const principal = await verified(elsewhere.verifier, credential)
        assert.deepEqual(principal.scopes, new Set(readScopes))
      }
    })

    test('a refused role is answered with the one that is needed', async () => {
      const { join } = await openTeam(database.db)
      const { browser } = await join('editor')
      const body = { name: 'x', spendLimit: null }
      const refusal = await browser.refusal('updateAccount', { body })
      assert.ok(refusal instanceof Failure)
      assert.deepEqual([refusal.status, refusal.details], [403, { role: 'owner' }])
    })
  })
}
