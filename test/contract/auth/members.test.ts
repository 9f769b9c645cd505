import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { hashToken } from '#auth/token-hash.ts'
import { useInvitation } from '#store/tables/invitations.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { migrations, startProcess, verified } from './setting.ts'
import { newAddress, newEmail, openTeam, password, type Shown, tokenOf } from './team.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
type Member = { userId: string; email: string; role: string; disabled: boolean; liveKeys: number }
type Key = { id: string; key: string }
const disabled = { name: 'Failure', code: 'ACCOUNT_DISABLED', status: 403 }

for (const { name, open } of databases) {
  describe(`a team on ${name}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await open({ migrations })
    })
    after(() => database.close())

    const openHere = () => openTeam(database.db)
    type Team = Awaited<ReturnType<typeof openHere>>

    const membersOf = async ({ owner }: Team) =>
      (await owner.data<{ items: Member[] }>('listMembers')).items

    test('whoever accepts an invitation is in that account with that role', async () => {
      const team = await openHere()
      const { email, userId, browser } = await team.join('editor')
      const { session } = await browser.data<Shown>('getSession')
      assert.equal(session?.account.id, team.accountId)
      assert.deepEqual(
        (await membersOf(team)).map((member) => [member.userId, member.email, member.role]),
        [
          [team.ownerId, team.ownerEmail, 'owner'],
          [userId, email, 'editor'],
        ],
      )
      await team.browser().data('signIn', { body: { email, password } })
    })

    test('the link tells what it is for, works once, and is stored as a hash', async () => {
      const team = await openHere()
      const { link, email } = await team.invite({ email: newEmail().toUpperCase(), role: 'viewer' })
      assert.match(link, /^https:\/\/atelier\.example\/console\/join#token=[\w-]{43}$/)
      const body = { token: tokenOf(link), password }
      const shown = await team.browser().data('showInvitation', { body: { token: body.token } })
      assert.equal(shown.email, email)
      assert.equal(shown.role, 'viewer')
      const rows = await database.db.query<object>('select * from invitations')
      assert.equal(JSON.stringify(rows).includes(body.token), false)
      const outcomes = await Promise.allSettled(
        Array.from({ length: 4 }, () => team.browser().data('acceptInvitation', { body })),
      )
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
      const refusal = await team.browser().refusal('acceptInvitation', { body })
      assert.equal(refusal.code, 'INVALID_CREDENTIAL')
      assert.equal((await membersOf(team)).length, 2)
    })

    test('an invitation that expired, was withdrawn or was replaced lets nobody in', async () => {
      const team = await openHere()
      const accept = ({ link }: { link: string }) =>
        team.browser().refusal('acceptInvitation', {
          body: { token: tokenOf(link), password },
          ipAddress: newAddress(),
        })
      const [withdrawn, replaced] = [
        await team.invite({ email: newEmail(), role: 'viewer' }),
        await team.invite({ email: 'same@example.com', role: 'viewer' }),
      ]
      const latest = await team.invite({ email: 'same@example.com', role: 'editor' })
      await team.owner.data('withdrawInvitation', { params: { invitationId: withdrawn.id } })
      const { items } = await team.owner.data<{ items: object[] }>('listInvitations')
      assert.deepEqual(
        items,
        [{ ...latest, link: undefined }].map(({ link, ...rest }) => rest),
      )
      assert.equal(JSON.stringify(items).includes(tokenOf(latest.link)), false)
      for (const link of [withdrawn, replaced]) {
        assert.equal((await accept(link)).code, 'INVALID_CREDENTIAL')
      }
      team.clock.at += 7 * dayMs
      assert.equal((await accept(latest)).code, 'INVALID_CREDENTIAL')
      // The session of the owner has ended meanwhile, too.
      const body = { email: team.ownerEmail, password }
      await team.owner.data('signIn', { body })
      assert.deepEqual((await team.owner.data('listInvitations')).items, [])
      // It may expire while its holder's password is hashed.
      const used = { tokenHash: hashToken(tokenOf(latest.link)), nowMs: team.clock.nowMs() }
      const use = database.db.transaction((tx) => useInvitation(tx, used.tokenHash, used.nowMs))
      assert.equal(await use, null)
    })

    test('an e-mail that somebody signs in with is not invited, in any spelling', async () => {
      const team = await openHere()
      const { email } = await team.join('viewer')
      const body = { email: email.toUpperCase(), role: 'editor' }
      assert.equal((await team.owner.refusal('createInvitation', { body })).status, 400)
    })

    test('fifty invitations are open at most', async () => {
      const team = await openHere()
      for (let i = 0; i < 50; i++) await team.invite({ email: newEmail(), role: 'viewer' })
      const body = { email: newEmail(), role: 'viewer' }
      const refusal = await team.owner.refusal('createInvitation', { body })
      assert.deepEqual([refusal.code, refusal.retryable], ['QUOTA_EXCEEDED', false])
    })

    test('a changed role counts at once', async () => {
      const team = await openHere()
      const { browser, userId } = await team.join('viewer')
      const params = { userId }
      assert.equal((await browser.refusal('createApiKey', { body: { name: 'x' } })).status, 403)
      await team.owner.data('updateMember', { params, body: { role: 'editor' } })
      const { key } = await browser.data<Key>('createApiKey', { body: { name: 'x' } })
      assert.ok((await verified(team.verifier, key)).scopes.has('runs:write'))
      await team.owner.data('updateMember', { params, body: { role: 'viewer' } })
      assert.equal((await verified(team.verifier, key)).scopes.has('runs:write'), false)
      assert.equal((await browser.refusal('createApiKey', { body: { name: 'x' } })).status, 403)
    })

    test('a removed member has nothing left that works; what they made stays', async () => {
      const team = await openHere()
      const { browser, userId, email } = await team.join('editor')
      const { key } = await browser.data<Key>('createApiKey', { body: { name: 'theirs' } })
      const minted = await browser.data<{ accessToken: string }>('mintToken', { body: {} })
      const elsewhere = await startProcess(database.db, team.clock)
      for (const process of [team.verifier, elsewhere.verifier]) {
        for (const credential of [key, minted.accessToken]) await verified(process, credential)
      }
      await team.owner.data('removeMember', { params: { userId } })
      const refused = { code: 'INVALID_CREDENTIAL' }
      for (const credential of [key, minted.accessToken]) {
        await assert.rejects(verified(team.verifier, credential), refused)
      }
      team.clock.at += 5_000
      for (const credential of [key, minted.accessToken]) {
        await assert.rejects(verified(elsewhere.verifier, credential), refused)
      }
      assert.equal((await browser.data<Shown>('getSession')).session, null)
      const body = { email, password }
      assert.equal((await team.browser().refusal('signIn', { body })).code, 'INVALID_CREDENTIAL')
      assert.deepEqual(
        (await membersOf(team)).map((member) => member.userId),
        [team.ownerId],
      )
      const again = await team.owner.refusal('removeMember', { params: { userId } })
      assert.equal(again.status, 404)
      // The e-mail is free for somebody new, who is not the one that left.
      await team.invite({ email, role: 'viewer' })
    })

    test('a disabled member is out until they are enabled again', async () => {
      const team = await openHere()
      const { browser, userId, email } = await team.join('editor')
      const { key } = await browser.data<Key>('createApiKey', { body: { name: 'k' } })
      const params = { userId }
      await verified(team.verifier, key)
      const member = await team.owner.data<Member>('updateMember', {
        params,
        body: { disabled: true },
      })
      assert.deepEqual([member.role, member.disabled], ['editor', true])
      await assert.rejects(verified(team.verifier, key), disabled)
      assert.equal((await browser.data<Shown>('getSession')).session, null)
      const body = { email, password }
      const refusal = await team.browser().refusal('signIn', { body })
      assert.equal(refusal.code, 'ACCOUNT_DISABLED')
      assert.match(refusal.message, /Ask one of its owners/)
      await team.owner.data('updateMember', { params, body: { disabled: false } })
      team.clock.at += 5_000
      await verified(team.verifier, key)
      await browser.data('signIn', { body })
    })

    test('the last owner is neither removed nor demoted nor disabled', async () => {
      const team = await openHere()
      const params = { userId: team.ownerId }
      const changes = [{ role: 'editor' }, { role: 'viewer' }, { disabled: true }]
      const { userId } = await team.join('owner')
      await team.owner.data('updateMember', { params: { userId }, body: { disabled: true } })
      for (const body of changes) {
        const refusal = await team.owner.refusal('updateMember', { params, body })
        assert.deepEqual([refusal.code, refusal.status], ['LAST_OWNER', 409])
      }
      assert.equal((await team.owner.refusal('removeMember', { params })).code, 'LAST_OWNER')
      await team.owner.data('updateMember', { params: { userId }, body: { disabled: false } })
      await team.owner.data('updateMember', { params, body: { role: 'viewer' } })
    })

    test('owners who remove each other at the same time leave one', async () => {
      const team = await openHere()
      const others = await Promise.all([team.join('owner'), team.join('owner')])
      const everybody = [{ browser: team.owner, userId: team.ownerId }, ...others]
      await Promise.allSettled(
        everybody.flatMap(({ browser, userId }) =>
          everybody.map(({ userId: other }) =>
            userId === other
              ? browser.data('updateMember', { params: { userId }, body: { role: 'viewer' } })
              : browser.data('removeMember', { params: { userId: other } }),
          ),
        ),
      )
      const owners = await database.db.query(
        `select id from users where account_id = $1 and role = 'owner' and removed_at is null`,
        [team.accountId],
      )
      assert.ok(owners.length >= 1)
    })

    test('nobody reaches into another account', async () => {
      const [team, other] = [await openHere(), await openHere()]
      const { userId } = await other.join('editor')
      const invitation = await other.invite({ email: newEmail(), role: 'viewer' })
      const params = { userId }
      const calls = {
        updateMember: { params, body: { role: 'viewer' } },
        removeMember: { params },
        resetMemberTwoStep: { params },
        createRecoveryLink: { body: { userId } },
        withdrawInvitation: { params: { invitationId: invitation.id } },
      }
      for (const [operation, given] of Object.entries(calls)) {
        assert.equal((await team.owner.refusal(operation, given)).status, 404, operation)
      }
      assert.equal((await membersOf(team)).length, 1)
      assert.deepEqual((await team.owner.data('listInvitations')).items, [])
    })
  })
}
