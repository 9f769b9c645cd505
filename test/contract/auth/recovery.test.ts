import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ensureOwner } from '#auth/owner.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { openConsole } from './console.ts'
import { baseUrl, handClock, migrations, verified } from './setting.ts'
import { newAddress, newEmail, openTeam, password, type Shown, tokenOf } from './team.ts'

const hourMs = 3_600_000
const newPassword = 'another good password'
type Listed = { items: { id: string; current: boolean; device: string; ipAddress: string }[] }

for (const { name, open } of databases) {
  describe(`sessions, lost passwords and disabled accounts on ${name}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await open({ migrations })
    })
    after(() => database.close())

    test('a recovery link sets a new password once and ends all sessions', async () => {
      const { owner, join, browser } = await openTeam(database.db)
      const member = await join('viewer')
      const body = { userId: member.userId }
      const { link } = await owner.data<{ link: string }>('createRecoveryLink', { body })
      assert.match(link, /^https:\/\/atelier\.example\/console\/recover#token=[\w-]{43}$/)
      const token = tokenOf(link)
      const rows = await database.db.query<object>('select * from recovery_links')
      assert.equal(JSON.stringify(rows).includes(token), false)
      const outcomes = await Promise.allSettled(
        Array.from({ length: 3 }, () =>
          browser().data('recover', { body: { token, password: newPassword } }),
        ),
      )
      const served = outcomes.filter((outcome) => outcome.status === 'fulfilled')
      assert.deepEqual(
        served.map(({ value }) => value),
        [{ email: member.email, revokedKeys: 0 }],
      )
      assert.equal((await member.browser.data<Shown>('getSession')).session, null)
      const { email } = member
      assert.equal((await browser().refusal('signIn', { body: { email, password } })).status, 401)
      await browser().data('signIn', { body: { email, password: newPassword } })
    })

    test('a recovery link ends after an hour, and with the next one', async () => {
      const { owner, join, browser, clock } = await openTeam(database.db)
      const { userId } = await join('viewer')
      const make = async () =>
        tokenOf(
          (await owner.data<{ link: string }>('createRecoveryLink', { body: { userId } })).link,
        )
      const [first, second] = [await make(), await make()]
      clock.at += hourMs - 1
      const use = (token: string) =>
        browser().refusal('recover', { body: { token, password: newPassword } })
      assert.equal((await use(first)).code, 'INVALID_CREDENTIAL')
      clock.at += 1
      assert.equal((await use(second)).code, 'INVALID_CREDENTIAL')
    })

    test('everybody sees where they are signed in, and ends what they do not know', async () => {
      const { browser, ownerEmail: email, owner: here, join } = await openTeam(database.db)
      const [phone, cafe] = [browser(), browser()]
      await phone.data('signIn', { body: { email, password }, ipAddress: '198.51.100.7' })
      await cafe.data('signIn', { body: { email, password }, ipAddress: '198.51.100.8' })
      await join('viewer')
      const list = async () => (await here.data<Listed>('listSessions')).items
      const items = await list()
      assert.equal(items.length, 3)
      assert.equal(items.filter(({ current }) => current).length, 1)
      const text = JSON.stringify(items)
      for (const [, token] of [...here.cookies, ...phone.cookies]) {
        assert.equal(text.includes(token), false)
      }
      const sessionId = items.find(({ ipAddress }) => ipAddress === '198.51.100.7')?.id ?? ''
      const stranger = await join('editor')
      const refusal = await stranger.browser.refusal('endSession', { params: { sessionId } })
      assert.equal(refusal.status, 404)
      await here.data('endSession', { params: { sessionId } })
      assert.equal((await phone.data<Shown>('getSession')).session, null)
      assert.notEqual((await cafe.data<Shown>('getSession')).session, null)
      await here.data('endOtherSessions')
      assert.equal((await cafe.data<Shown>('getSession')).session, null)
      assert.deepEqual(
        (await list()).map(({ current }) => current),
        [true],
      )
      assert.notEqual((await stranger.browser.data<Shown>('getSession')).session, null)
    })

    test('the operator lists the accounts of the server and disables one', async () => {
      await using fresh = await open({ migrations })
      const [clock, dataDir] = [handClock(), await mkdtemp(join(tmpdir(), 'atelier-team-'))]
      const { setupLink } = await ensureOwner({
        ...{ db: fresh.db, dataDir, clock, baseUrl, random: randomBytes },
      })
      await rm(dataDir, { recursive: true })
      const { browser, verifier } = await openConsole(fresh.db, clock)
      const [operator, stranger] = [browser(), browser()]
      await operator.data('setUp', {
        body: { token: tokenOf(setupLink ?? ''), email: newEmail(), password },
      })
      clock.at++
      const body = { email: newEmail(), password }
      await stranger.data('signUp', { body })
      const { key } = await stranger.data<{ key: string }>('createApiKey', { body: { name: 'k' } })
      await verified(verifier, key)
      const params = { accountId: String((await stranger.data('getAccount')).id) }
      for (const [browser, isOperator] of [
        [operator, true],
        [stranger, false],
      ] as const) {
        assert.equal((await browser.data('getSession')).operator, isOperator)
      }
      type Page = { items: { id: string; people: { email: string }[] }[]; next: string | null }
      const first = await operator.data<Page>('listServerAccounts', { query: { size: '1' } })
      assert.deepEqual(
        first.items[0]?.people.map(({ email }) => email),
        [body.email],
      )
      const query = { size: '1', cursor: first.next ?? '' }
      const second = await operator.data<Page>('listServerAccounts', { query })
      assert.equal(second.items[0]?.id, (await operator.data('getAccount')).id)
      assert.equal(second.next, null)
      const refusal = await stranger.refusal('updateServerAccount', {
        params,
        body: { disabled: true },
      })
      assert.equal(refusal.code, 'INSUFFICIENT_ROLE')
      await operator.data('updateServerAccount', { params, body: { disabled: true } })
      await assert.rejects(verified(verifier, key), { code: 'ACCOUNT_DISABLED', status: 403 })
      assert.equal((await stranger.refusal('listApiKeys')).code, 'ACCOUNT_DISABLED')
      const signIn = { body, ipAddress: newAddress() }
      assert.equal((await browser().refusal('signIn', signIn)).code, 'ACCOUNT_DISABLED')
      await operator.data('updateServerAccount', { params, body: { disabled: false } })
      clock.at += 5_000
      await verified(verifier, key)
      const own = { accountId: String((await operator.data('getAccount')).id) }
      const self = await operator.refusal('updateServerAccount', {
        params: own,
        body: { disabled: true },
      })
      assert.equal(self.status, 409)
    })
  })
}
