import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { SignUpPolicy } from '#api/console/context.ts'
import { ensureOwner } from '#auth/owner.ts'
import { setAccountDisabled } from '#store/tables/accounts.ts'
import { readFact } from '#store/tables/server-facts.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { openConsole } from './console.ts'
import { baseUrl, handClock, migrations } from './setting.ts'

const minuteMs = 60_000
const password = 'correct horse battery'
/** Lets the writing connection work, which reading alone does not. */
const nextTick = () => new Promise(setImmediate)
const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`
type Shown = { session: { user: { id: string; email: string } } | null; signUpOpen: boolean }

for (const { name, open } of databases) {
  describe(`signing in to the console on ${name}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await open({ migrations })
    })
    after(() => database.close())

    const setting = async () => {
      const clock = handClock()
      return { clock, ...(await openConsole(database.db, clock)) }
    }

    /** A fresh installation with its owner and the token of the set-up link. */
    async function installation(signUp: SignUpPolicy) {
      const fresh = await open({ migrations })
      const clock = handClock()
      const dataDir = await mkdtemp(join(tmpdir(), 'atelier-console-'))
      const { setupLink } = await ensureOwner({
        db: fresh.db,
        dataDir,
        clock,
        baseUrl,
        random: randomBytes,
      })
      const token = setupLink?.split('#token=')[1] ?? ''
      const close = async () => {
        await rm(dataDir, { recursive: true })
        await fresh.close()
      }
      return {
        clock,
        token,
        ownerId: await readFact(fresh.db, 'owner'),
        ...(await openConsole(fresh.db, clock, { signUp })),
        [Symbol.asyncDispose]: close,
      }
    }

    test('whoever signs up is signed in, with an account of their own', async () => {
      const { browser } = await setting()
      const email = newEmail()
      const mine = browser()
      await mine.data('signUp', { body: { email: email.toUpperCase(), password } })
      assert.match(mine.cookies.get('__Host-session') ?? '', /^[\w-]{43}$/)
      assert.equal((await mine.data<Shown>('getSession')).session?.user.email, email)
      const theirs = browser()
      await theirs.data('signUp', { body: { email: newEmail(), password } })
      assert.notEqual((await theirs.data('getAccount')).id, (await mine.data('getAccount')).id)
    })

    test('signing in and out, in any spelling of the e-mail', async () => {
      const { browser } = await setting()
      const email = newEmail()
      await browser().data('signUp', { body: { email, password } })
      const mine = browser()
      await mine.data('signIn', { body: { email: email.toUpperCase(), password } })
      assert.notEqual((await mine.data<Shown>('getSession')).session, null)
      const [cookie] = [...mine.cookies]
      await mine.data('signOut')
      assert.equal(mine.cookies.size, 0)
      assert.equal((await mine.data<Shown>('getSession')).session, null)
      // A copy of the old cookie is worthless.
      if (cookie) mine.cookies.set(...cookie)
      assert.equal((await mine.data<Shown>('getSession')).session, null)
    })

    test('signing in again ends the session it replaces', async () => {
      const { browser } = await setting()
      const body = { email: newEmail(), password }
      const mine = browser()
      await mine.data('signUp', { body })
      const copy = browser()
      for (const cookie of mine.cookies) copy.cookies.set(...cookie)
      await mine.data('signIn', { body })
      assert.equal((await copy.data<Shown>('getSession')).session, null)
    })

    test('an unknown e-mail and a wrong password are answered alike', async () => {
      const { browser } = await setting()
      const email = newEmail()
      await browser().data('signUp', { body: { email, password } })
      const wrong = await browser().refusal('signIn', { body: { email, password: `${password}!` } })
      const unknown = await browser().refusal('signIn', { body: { email: newEmail(), password } })
      const shown = ({ code, status, message, headers, details }: typeof wrong) => ({
        ...{ code, status, message, headers, details },
      })
      assert.deepEqual(shown(unknown), shown(wrong))
      assert.equal(wrong.status, 401)
      assert.deepEqual(wrong.headers, { 'WWW-Authenticate': 'Session realm="console"' })
    })

    test('ten failures a minute per address and per e-mail; right ones are not counted', async () => {
      const { browser, clock } = await setting()
      const body = { email: newEmail(), password }
      await browser().data('signUp', { body, ipAddress: '198.51.100.9' })
      const ipAddress = '203.0.113.1'
      for (let i = 0; i < 25; i++) await browser().data('signIn', { body, ipAddress })
      const wrong = { ...body, password: `${password}!` }
      for (let i = 0; i < 10; i++) {
        const guess = { body: wrong, ipAddress: `198.51.100.${i + 10}` }
        assert.equal((await browser().refusal('signIn', guess)).code, 'INVALID_CREDENTIAL')
      }
      const limited = await browser().refusal('signIn', { body, ipAddress: '198.51.100.30' })
      assert.equal(limited.code, 'RATE_LIMITED')
      assert.equal(limited.retryAfterSeconds, 60)
      await browser().data('signIn', { body, ipAddress })
      for (let i = 0; i < 10; i++) {
        const other = { email: newEmail(), password }
        await browser().refusal('signIn', { body: other, ipAddress })
      }
      const spent = { token: 'x', email: newEmail(), password }
      for (const [operation, given] of Object.entries({
        signIn: { email: newEmail(), password },
        setUp: spent,
        acceptInvitation: { token: 'x', password },
        showInvitation: { token: 'x' },
        recover: { token: 'x', password },
      })) {
        const refusal = await browser().refusal(operation, { body: given, ipAddress })
        assert.equal(refusal.code, 'RATE_LIMITED', operation)
      }
      clock.at += minuteMs
      await browser().data('signIn', { body, ipAddress })
    })

    test('ten sign-ups a minute per address', async () => {
      const { browser } = await setting()
      const signUp = () => ({ body: { email: newEmail(), password }, ipAddress: '203.0.113.7' })
      for (let i = 0; i < 10; i++) await browser().data('signUp', signUp())
      assert.equal((await browser().refusal('signUp', signUp())).code, 'RATE_LIMITED')
    })

    test('a person is told of failed tries with the next sign-in, once', async () => {
      const { browser, clock, services } = await setting()
      const body = { email: newEmail(), password }
      const mine = browser()
      await mine.data('signUp', { body })
      const told = async () =>
        (await mine.data<{ session: { failedSignIns: object | null } }>('getSession')).session
          .failedSignIns
      assert.equal(await told(), null)
      const wrong = { body: { ...body, password: `${password}!` }, ipAddress: '203.0.113.9' }
      for (let i = 0; i < 10; i++) await browser().refusal('signIn', wrong)
      const [{ id = '' } = {}] = await services.db.query<{ id: string }>(
        'select id from users where email = $1',
        [body.email],
      )
      // Nobody waits for it, so that the answer takes as long as for an unknown e-mail.
      const failed = () =>
        services.db.query<{ failed_sign_ins: number }>(
          'select failed_sign_ins from users where id = $1',
          [id],
        )
      while (Number((await failed())[0]?.failed_sign_ins) < 10) await nextTick()
      assert.equal(await told(), null, 'not in a session that began before')
      const lastAt = new Date(clock.at).toISOString()
      clock.at += minuteMs
      await mine.data('signIn', { body })
      assert.deepEqual(await told(), { count: 10, lastAt, ipAddress: '203.0.113.9' })
      await mine.data('signIn', { body })
      assert.equal(await told(), null)
      const actions = async () =>
        (await mine.data<{ items: { action: string; target: string }[] }>('listAudit')).items
      while (!(await actions()).some(({ action }) => action === 'sign-in.limited')) {
        await nextTick()
      }
      const entry = (await actions()).find(({ action }) => action === 'sign-in.limited')
      assert.equal(entry?.target, 'no further tries for 60 s')
    })

    test('a taken e-mail is refused in any spelling', async () => {
      const { browser } = await setting()
      const email = newEmail()
      await browser().data('signUp', { body: { email, password } })
      const refusal = await browser().refusal('signUp', {
        body: { email: email.toUpperCase(), password },
      })
      assert.equal(refusal.code, 'INVALID_REQUEST')
      assert.deepEqual(refusal.details, {
        issues: [{ path: '/email', rule: 'unique', message: 'is taken' }],
      })
    })

    const unacceptable: [string, object][] = [
      ['a short password', { password: 'x'.repeat(11) }],
      ['a long password', { password: 'x'.repeat(129) }],
      ['an e-mail without @', { email: 'someone' }],
      ['an e-mail with a space', { email: 'some one@example.com' }],
      ['an e-mail that PostgreSQL cannot store', { email: 'a\u0000b@example.com' }],
      ['an e-mail that is not well-formed text', { email: 'a\ud800b@example.com' }],
      ['a password that is a number', { password: 123456789012 }],
      ['an unknown field', { isAdmin: true }],
    ]
    for (const [what, changed] of unacceptable) {
      test(`${what} is a bad request`, async () => {
        const { browser } = await setting()
        const body = { email: newEmail(), password, ...changed }
        assert.equal((await browser().refusal('signUp', { body })).code, 'INVALID_REQUEST')
      })
    }

    test('a page of another origin can do nothing, whatever the operation', async () => {
      const { browser, services } = await setting()
      const mine = browser()
      const body = { email: newEmail(), password }
      await mine.data('signUp', { body })
      const calls = {
        signUp: { body },
        signIn: { body },
        signOut: {},
        setUp: { body: { ...body, token: 'x' } },
        changePassword: { body: { currentPassword: password, newPassword: password } },
        mintToken: {},
        createApiKey: { body: { name: 'x' } },
        revokeApiKey: { params: { keyId: crypto.randomUUID() } },
        rotateWebhookSecret: {},
        updateAccount: { body: { name: 'x', spendLimit: null } },
      }
      for (const [operation, given] of Object.entries(calls)) {
        const refusal = await mine.refusal(operation, { ...given, origin: 'other' })
        assert.equal(refusal.code, 'ORIGIN_NOT_ALLOWED', operation)
      }
      assert.notEqual(
        await services.sessions.resolve(`__Host-session=${mine.cookies.get('__Host-session')}`),
        null,
      )
    })

    test('changing the password ends all other sessions and needs the current one', async () => {
      const { browser } = await setting()
      const body = { email: newEmail(), password }
      const [mine, other] = [browser(), browser()]
      await mine.data('signUp', { body })
      await other.data('signIn', { body })
      const newPassword = 'another good password'
      const wrong = await mine.refusal('changePassword', {
        body: { currentPassword: 'not my password', newPassword },
      })
      assert.equal(wrong.code, 'INVALID_CREDENTIAL')
      assert.notEqual((await other.data<Shown>('getSession')).session, null)
      await mine.data('changePassword', { body: { currentPassword: password, newPassword } })
      assert.notEqual((await mine.data<Shown>('getSession')).session, null)
      assert.equal((await other.data<Shown>('getSession')).session, null)
      assert.equal((await browser().refusal('signIn', { body })).code, 'INVALID_CREDENTIAL')
      await browser().data('signIn', { body: { ...body, password: newPassword } })
    })

    test('a disabled account can neither sign in nor go on', async () => {
      const { browser, clock, services } = await setting()
      const body = { email: newEmail(), password }
      const mine = browser()
      await mine.data('signUp', { body })
      await setAccountDisabled(services.db, String((await mine.data('getAccount')).id), clock.at)
      assert.equal((await mine.refusal('listApiKeys')).code, 'ACCOUNT_DISABLED')
      assert.equal((await browser().refusal('signIn', { body })).code, 'ACCOUNT_DISABLED')
      const wrong = { body: { ...body, password: `${password}!` } }
      assert.equal((await browser().refusal('signIn', wrong)).code, 'INVALID_CREDENTIAL')
    })

    test('the set-up link gives the owner an e-mail and a password, once', async () => {
      await using fresh = await installation('closed')
      const { browser, token, ownerId } = fresh
      const email = newEmail()
      const mine = browser()
      await mine.data('setUp', { body: { token, email, password } })
      assert.deepEqual((await mine.data<Shown>('getSession')).session?.user, { id: ownerId, email })
      const again = await browser().refusal('setUp', {
        body: { token, email: newEmail(), password },
      })
      assert.equal(again.code, 'INVALID_CREDENTIAL')
      await browser().data('signIn', { body: { email, password } })
    })

    test('an expired or made-up link sets up nobody', async () => {
      await using fresh = await installation('closed')
      const { browser, token, clock } = fresh
      const body = { token: 'x'.repeat(43), email: newEmail(), password }
      assert.equal((await browser().refusal('setUp', { body })).code, 'INVALID_CREDENTIAL')
      clock.at += 24 * 60 * minuteMs
      const late = await browser().refusal('setUp', { body: { ...body, token } })
      assert.equal(late.code, 'INVALID_CREDENTIAL')
    })

    test('with first-user nobody becomes the owner but through the set-up link', async () => {
      await using fresh = await installation('first-user')
      const { browser, token, ownerId } = fresh
      const signUpOpen = async () => (await browser().data<Shown>('getSession')).signUpOpen
      const body = { email: newEmail(), password }
      for (const isSetUp of [false, true]) {
        assert.equal(await signUpOpen(), false)
        const refusal = await browser().refusal('signUp', { body })
        assert.equal(refusal.code, 'ROUTE_NOT_FOUND', `set up: ${isSetUp}`)
        if (isSetUp) break
        const mine = browser()
        await mine.data('setUp', { body: { ...body, email: newEmail(), token } })
        assert.equal((await mine.data<Shown>('getSession')).session?.user.id, ownerId)
      }
    })

    test('of several who use the set-up link at once, one becomes the owner', async () => {
      await using fresh = await installation('first-user')
      const { browser, token } = fresh
      const outcomes = await Promise.allSettled(
        Array.from({ length: 4 }, () =>
          browser().data('setUp', { body: { token, email: newEmail(), password } }),
        ),
      )
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    })

    test('with closed nobody signs up, with open a newcomer is never the owner', async () => {
      await using closed = await installation('closed')
      const body = { email: newEmail(), password }
      assert.equal((await closed.browser().refusal('signUp', { body })).code, 'ROUTE_NOT_FOUND')
      await using opened = await installation('open')
      const newcomer = await opened.browser().data<{ user: { id: string } }>('signUp', { body })
      assert.notEqual(newcomer.user.id, opened.ownerId)
    })
  })
}
