import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { createSessions } from '#auth/sessions.ts'
import type { Failure } from '#core/errors.ts'
import type { Db } from '#store/db.ts'
import { endAccess } from '#store/tables/ended-access.ts'
import { listOAuthGrants } from '#store/tables/oauth-grants.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { openApps } from './apps.ts'
import type { Browser } from './console.ts'
import { liveThrough, steps } from './rights.ts'
import { baseUrl, migrations, verified } from './setting.ts'
import { newAddress, newEmail, openTeam, password, type Shown, tokenOf } from './team.ts'

type Link = { link: string }
type Key = { id: string; key: string }
const newPassword = 'another good password'

for (const { name, open } of databases) {
  describe(`nothing outlives the right of whoever made it, on ${name}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await open({ migrations })
    })
    after(() => database.close())

    const openHere = () => openTeam(database.db)
    type Team = Awaited<ReturnType<typeof openHere>>

    const accept = ({ browser }: Team, { link }: Link) =>
      browser().refusal('acceptInvitation', {
        body: { token: tokenOf(link), password },
        ipAddress: newAddress(),
      })
    const recover = ({ browser }: Team, { link }: Link) =>
      browser().refusal('recover', {
        body: { token: tokenOf(link), password: newPassword },
        ipAddress: newAddress(),
      })

    const endings: [string, 'updateMember' | 'removeMember', object | undefined][] = [
      ['removed', 'removeMember', undefined],
      ['made an editor', 'updateMember', { role: 'editor' }],
      ['disabled', 'updateMember', { disabled: true }],
    ]
    for (const [what, operation, body] of endings) {
      test(`the links of an owner who is ${what} let nobody in, also later`, async () => {
        const team = await openHere()
        const [leaving, other] = [await team.join('owner'), await team.join('viewer')]
        const invitation = { email: newEmail(), role: 'owner' }
        const links = {
          invitation: await leaving.browser.data<Link>('createInvitation', { body: invitation }),
          recovery: await leaving.browser.data<Link>('createRecoveryLink', {
            body: { userId: other.userId },
          }),
        }
        const params = { userId: leaving.userId }
        await team.owner.data(operation, body ? { params, body } : { params })
        const assertDead = async () => {
          assert.equal((await accept(team, links.invitation)).code, 'INVALID_CREDENTIAL')
          assert.equal((await recover(team, links.recovery)).code, 'INVALID_CREDENTIAL')
        }
        await assertDead()
        assert.deepEqual((await team.owner.data('listInvitations')).items, [])
        if (operation === 'removeMember') return
        const back = { role: 'owner', disabled: false }
        await team.owner.data('updateMember', { params, body: back })
        await assertDead()
      })
    }

    test('the inviter’s right is looked at again when the invitation is accepted', async () => {
      const team = await openHere()
      const leaving = await team.join('owner')
      const make = () =>
        leaving.browser.data<Link>('createInvitation', {
          body: { email: newEmail(), role: 'owner' },
        })
      for (const change of ['role = $1', 'disabled_at = 1, role = $1']) {
        const invitation = await make()
        // As if the link had been stored in the moment in which the others were deleted.
        const changeTo = (role: string, set: string) =>
          database.db.write(`update users set ${set} where id = $2`, [role, leaving.userId])
        await changeTo('editor', change)
        assert.equal((await accept(team, invitation)).code, 'INVALID_CREDENTIAL')
        await changeTo('owner', 'role = $1, disabled_at = null')
      }
    })

    test('a changed password ends links, apps and tokens, and keys if that is asked for', async () => {
      const team = await openHere()
      const { browser, userId } = await team.join('editor')
      const link = await team.owner.data<Link>('createRecoveryLink', { body: { userId } })
      const { accessToken } = await browser.data<{ accessToken: string }>('mintToken', {})
      const { key } = await browser.data<Key>('createApiKey', { body: { name: 'k' } })
      for (const credential of [accessToken, key]) await verified(team.verifier, credential)
      const change = (currentPassword: string, next: string, revokeKeys?: boolean) => {
        team.clock.at += 1
        const body = { currentPassword, newPassword: next, ...(revokeKeys && { revokeKeys }) }
        return browser.data('changePassword', { body })
      }
      assert.deepEqual(await change(password, newPassword), { revokedKeys: 0 })
      assert.equal((await recover(team, link)).code, 'INVALID_CREDENTIAL')
      await assert.rejects(verified(team.verifier, accessToken), { code: 'INVALID_CREDENTIAL' })
      await verified(team.verifier, key)
      team.clock.at += 1
      const later = await browser.data<{ accessToken: string }>('mintToken', {})
      await verified(team.verifier, later.accessToken)
      assert.deepEqual(await change(newPassword, password, true), { revokedKeys: 1 })
      await assert.rejects(verified(team.verifier, key), { code: 'INVALID_CREDENTIAL' })
    })

    for (const operation of ['changePassword', 'recover'] as const) {
      test(`a token that is made while ${operation} waits for the database ends with it`, async () => {
        const team = await openHere()
        const { browser, email, userId } = await team.join('editor')
        const stolen = team.browser()
        await stolen.data('signIn', { body: { email, password }, ipAddress: newAddress() })
        const { link } = await team.owner.data<Link>('createRecoveryLink', { body: { userId } })
        const { services, clock } = team
        const { db } = services
        let token = ''
        services.db = {
          ...db,
          async transaction(work, options) {
            services.db = db
            clock.at += 1
            token = (await stolen.data<{ accessToken: string }>('mintToken', {})).accessToken
            return db.transaction(work, options)
          },
        }
        const bodies = {
          changePassword: { currentPassword: password, newPassword },
          recover: { token: tokenOf(link), password: newPassword },
        }
        await browser.data(operation, { body: bodies[operation], ipAddress: newAddress() })
        assert.notEqual(token, '')
        await assert.rejects(verified(team.verifier, token), { code: 'INVALID_CREDENTIAL' })
      })
    }

    test('a sign-in that is overtaken by a change begins no session', async () => {
      const team = await openHere()
      const { userId } = await team.join('viewer')
      const { db } = database
      const random = (size: number) => new Uint8Array(size).fill(7)
      const sessions = createSessions({ db, clock: team.clock, random, baseUrl })
      const device = { ipAddress: null, userAgent: null }
      const refused = { name: 'Failure', code: 'INVALID_CREDENTIAL' }
      const [row] = await db.query<{ password_hash: string }>(
        'select password_hash from users where id = $1',
        [userId],
      )
      const verifiedAs = { userId, passwordHash: row?.password_hash ?? '' }
      await db.write(`update users set password_hash = 'new' where id = $1`, [userId])
      await assert.rejects(sessions.start(db, verifiedAs, device), refused)
      await db.write('update users set disabled_at = 1 where id = $1', [userId])
      await assert.rejects(sessions.start(db, { userId }, device), refused)
    })

    test('a key that was stored while its maker was being removed does not work', async () => {
      const team = await openHere()
      const { browser, userId } = await team.join('editor')
      const { key, id } = await browser.data<Key>('createApiKey', { body: { name: 'k' } })
      await team.owner.data('removeMember', { params: { userId } })
      await database.db.write('update api_keys set revoked_at = null where id = $1', [id])
      team.clock.at += 5_000
      await assert.rejects(verified(team.verifier, key), { code: 'INVALID_CREDENTIAL' })
    })

    test('whoever invites while being removed gets no link', async () => {
      const team = await openHere()
      const leaving = await team.join('owner')
      const body = { email: newEmail(), role: 'owner' }
      const { resolve } = team.services.sessions
      const before = await resolve(leaving.browser.cookieHeader())
      await team.owner.data('removeMember', { params: { userId: leaving.userId } })
      // Their request was authenticated just before the removal.
      team.services.sessions.resolve = async () => before
      const refusal = await leaving.browser.refusal('createInvitation', { body })
      team.services.sessions.resolve = resolve
      assert.equal(refusal.code, 'INSUFFICIENT_ROLE')
      const again = await leaving.browser.data<Shown>('getSession')
      assert.equal(again.session, null)
    })

    /** Calls as somebody whose session was checked just before `change`. */
    async function overtaken(
      { services }: Team,
      browser: Browser,
      change: () => Promise<unknown>,
      call: () => Promise<Failure>,
    ) {
      const { resolve } = services.sessions
      const before = await resolve(browser.cookieHeader())
      await change()
      services.sessions.resolve = async () => before
      return call().finally(() => {
        services.sessions.resolve = resolve
      })
    }

    test('whoever changes members while being removed changes nobody', async () => {
      const team = await openHere()
      const [leaving, friend] = [await team.join('owner'), await team.join('viewer')]
      const params = { userId: friend.userId }
      const refusal = await overtaken(
        team,
        leaving.browser,
        () => team.owner.data('removeMember', { params: { userId: leaving.userId } }),
        () => leaving.browser.refusal('updateMember', { params, body: { role: 'owner' } }),
      )
      assert.equal(refusal.code, 'INSUFFICIENT_ROLE')
      const { items } = await team.owner.data<{ items: { role: string }[] }>('listMembers')
      assert.deepEqual(
        items.map(({ role }) => role),
        ['owner', 'viewer'],
      )
    })

    for (const [operation, body] of [
      ['createApiKey', { name: 'k' }],
      ['mintToken', {}],
    ] as const) {
      test(`${operation} makes nothing for a session that has just ended`, async () => {
        const team = await openHere()
        const { browser, email } = await team.join('editor')
        const elsewhere = team.browser()
        await elsewhere.data('signIn', { body: { email, password }, ipAddress: newAddress() })
        const given = { currentPassword: password, newPassword, revokeKeys: true }
        const refusal = await overtaken(
          team,
          elsewhere,
          () => browser.data('changePassword', { body: given }),
          () => elsewhere.refusal(operation, { body }),
        )
        assert.equal(refusal.code, 'AUTH_REQUIRED')
        assert.deepEqual((await browser.data<{ items: object[] }>('listApiKeys')).items, [])
      })
    }

    test('whoever was signed out while they agreed connects no app', async () => {
      const team = await openHere()
      const { db } = database
      const { userId } = await team.join('editor')
      const person = { accountId: team.accountId, userId }
      const { grant } = await openApps(db, team.clock, team).newConsent(person)
      await db.transaction((tx) => endAccess(tx, { userId, nowMs: team.clock.nowMs() }))
      await assert.rejects(grant(), { code: 'AUTH_REQUIRED' })
    })

    test('an app that is being connected while access ends is not connected', async () => {
      const team = await openHere()
      const { db } = database
      const { userId } = await team.join('editor')
      const person = { accountId: team.accountId, userId }
      const apps = openApps(db, team.clock, team)
      const made = await apps.newCode(person)
      const ending = Promise.withResolvers<unknown>()
      const slow: Db = {
        ...db,
        transaction: (work, options) =>
          db.transaction(async (tx) => {
            const done = await work(tx)
            // Everything is written and nothing is committed.
            const nowMs = team.clock.nowMs()
            ending.resolve(db.transaction((other) => endAccess(other, { userId, nowMs })))
            await new Promise((resolve) => setTimeout(resolve, 200))
            return done
          }, options),
      }
      await openApps(slow, team.clock, team).exchange(made)
      await await ending.promise
      const nowMs = team.clock.nowMs()
      assert.deepEqual(await listOAuthGrants(db, { ...person, nowMs }), [])
    })

    test('in no history of a team', async () => {
      await fc.assert(
        fc.asyncProperty(steps(25), (history) => liveThrough(database.db, history)),
        { numRuns: 12 },
      )
    })
  })
}
