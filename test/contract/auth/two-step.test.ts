import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { base32, totpCode, totpStep } from '#auth/totp.ts'
import { listAuditEntries } from '#store/tables/audit-entries.ts'
import { readSecondFactor } from '#store/tables/second-factors.ts'
import { readUser } from '#store/tables/users.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { box, migrations } from './setting.ts'
import { newAddress, openTeam, password } from './team.ts'

const stepMs = 30_000
type Codes = { recoveryCodes: string[] }
type State = { enabledAt: string | null; recoveryCodesLeft: number }

for (const { name, open } of databases) {
  describe(`two-step sign-in on ${name}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await open({ migrations })
    })
    after(() => database.close())

    /** A member with two-step sign-in on, at a time whose code is not used yet. */
    async function setting() {
      const team = await openTeam(database.db)
      const { browser: mine, userId, email } = await team.join('viewer')
      const { secret } = await mine.data<{ secret: string }>('startTwoStep', { body: { password } })
      const stored = await readSecondFactor(database.db, box, userId)
      const bytes = stored?.secret ?? Buffer.of()
      assert.equal(base32(bytes), secret)
      const codeAt = (atMs: number) => totpCode(bytes, totpStep(atMs))
      const code = () => codeAt(team.clock.at)
      const { recoveryCodes } = await mine.data<Codes>('confirmTwoStep', { body: { code: code() } })
      // Also the minute in which attempts are counted is over.
      team.clock.at += 2 * stepMs
      const signIn = (given?: string, used = password) => {
        const body = { email, password: used, ...(given === undefined ? {} : { code: given }) }
        return team.browser().call('signIn', { body, ipAddress: newAddress() })
      }
      return { ...team, mine, userId, email, secret, code, codeAt, recoveryCodes, signIn }
    }

    test('it is off until a code of the app confirms it', async () => {
      const { join, browser } = await openTeam(database.db)
      const { browser: mine, email } = await join('viewer')
      const wrong = await mine.refusal('startTwoStep', { body: { password: 'not my password' } })
      assert.equal(wrong.code, 'INVALID_CREDENTIAL')
      const { address } = await mine.data<{ address: string }>('startTwoStep', {
        body: { password },
      })
      assert.ok(address.startsWith(`otpauth://totp/Atelier:${encodeURIComponent(email)}?secret=`))
      assert.equal((await mine.refusal('confirmTwoStep', { body: { code: '000000' } })).status, 401)
      assert.equal((await mine.data<State>('getTwoStep')).enabledAt, null)
      await browser().data('signIn', { body: { email, password } })
    })

    test('signing in then needs the password and a code, each right', async () => {
      const { signIn, code, mine } = await setting()
      assert.notEqual((await mine.data<State>('getTwoStep')).enabledAt, null)
      await assert.rejects(signIn(), { code: 'CODE_REQUIRED', status: 401 })
      await assert.rejects(signIn('000000'), { code: 'INVALID_CREDENTIAL' })
      // A right code tells nothing about a wrong password, and is not used up by it.
      await assert.rejects(signIn(code(), 'not my password'), { code: 'INVALID_CREDENTIAL' })
      await signIn(code())
    })

    test('a wrong code after the right password is in the audit log', async () => {
      const { signIn, userId } = await setting()
      await assert.rejects(signIn('000000'), { code: 'INVALID_CREDENTIAL' })
      const accountId = (await readUser(database.db, userId))?.accountId ?? ''
      const failed = { action: 'sign-in.failed' } as const
      const page = { before: null, limit: 10 }
      const entries = await listAuditEntries(database.db, accountId, failed, page)
      assert.deepEqual(
        entries.map(({ actor_user }) => actor_user),
        [userId],
      )
    })

    test('a code works once, also for two who use it at the same time', async () => {
      const { signIn, code, codeAt, clock } = await setting()
      const outcomes = await Promise.allSettled([signIn(code()), signIn(code()), signIn(code())])
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
      await assert.rejects(signIn(codeAt(clock.at - stepMs)), { code: 'INVALID_CREDENTIAL' })
      clock.at += stepMs
      await signIn(code())
    })

    test('each recovery code works once, however it is typed, and is stored as a hash', async () => {
      const { signIn, recoveryCodes, mine, userId } = await setting()
      const [first = '', second = ''] = recoveryCodes
      const rows = await database.db.query<object>('select * from recovery_codes')
      assert.equal(JSON.stringify(rows).includes(first), false)
      await signIn(first.toUpperCase().replaceAll('-', ' '))
      await assert.rejects(signIn(first), { code: 'INVALID_CREDENTIAL' })
      const together = await Promise.allSettled([signIn(second), signIn(second)])
      assert.equal(together.filter(({ status }) => status === 'fulfilled').length, 1)
      assert.equal((await mine.data<State>('getTwoStep')).recoveryCodesLeft, 8)
      const [sealed] = await database.db.query<{ secret: Uint8Array }>(
        'select secret from second_factors where user_id = $1',
        [userId],
      )
      const plain = (await readSecondFactor(database.db, box, userId))?.secret ?? Buffer.of()
      assert.equal(Buffer.from(sealed?.secret ?? []).includes(plain), false)
    })

    test('new recovery codes replace the old ones', async () => {
      const { signIn, recoveryCodes, mine, code } = await setting()
      const body = { password, code: code() }
      const renewed = await mine.data<Codes>('renewRecoveryCodes', { body })
      await assert.rejects(signIn(recoveryCodes[0]), { code: 'INVALID_CREDENTIAL' })
      await signIn(renewed.recoveryCodes[0])
    })

    test('turning it off needs the password and a code; an owner can do it for a member', async () => {
      const { signIn, mine, code, owner } = await setting()
      const wrong = [
        { password: 'not my password', code: code() },
        { password, code: '000000' },
      ]
      for (const body of wrong) {
        assert.equal((await mine.refusal('endTwoStep', { body })).code, 'INVALID_CREDENTIAL')
      }
      await assert.rejects(signIn(), { code: 'CODE_REQUIRED' })
      await mine.data('endTwoStep', { body: { password, code: code() } })
      await signIn()
      const again = await setting()
      await again.owner.data('resetMemberTwoStep', { params: { userId: again.userId } })
      await again.signIn()
      const params = { userId: again.userId }
      assert.equal((await owner.refusal('resetMemberTwoStep', { params })).status, 404)
    })

    test('a code is guessed ten times a minute at most, like a password', async () => {
      const { signIn, code, clock } = await setting()
      for (let i = 0; i < 10; i++) {
        await assert.rejects(signIn('000000'), { code: 'INVALID_CREDENTIAL' })
      }
      await assert.rejects(signIn(code()), { code: 'RATE_LIMITED' })
      clock.at += 60_000
      await signIn(code())
    })

    test('a new password from a link leaves the second step on', async () => {
      const { owner, userId, browser, signIn, code } = await setting()
      const { link } = await owner.data<{ link: string }>('createRecoveryLink', {
        body: { userId },
      })
      const token = link.split('#token=')[1]
      const next = 'another good password'
      await browser().data('recover', { body: { token, password: next } })
      await assert.rejects(signIn(undefined, next), { code: 'CODE_REQUIRED' })
      await signIn(code(), next)
    })
  })
}
