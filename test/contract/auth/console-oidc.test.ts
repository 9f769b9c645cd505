import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import type { JWTPayload } from 'jose'
import type { SignUpPolicy } from '#api/console/context.ts'
import { fetchJson } from '#auth/fetch-json.ts'
import { createOidcClient, type OidcSettings } from '#auth/oidc.ts'
import { ensureOwner } from '#auth/owner.ts'
import { setAccountDisabled } from '#store/tables/accounts.ts'
import { readFact } from '#store/tables/server-facts.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { type OidcServer, startOidcServer } from '../../support/oidc-server.ts'
import { type Browser, openConsole } from './console.ts'
import { baseUrl, handClock, migrations } from './setting.ts'
import { newAddress, newEmail, openTeam, password, tokenOf } from './team.ts'

const redirectUri = `${baseUrl}/api/console/v1/oidc/callback`
type Shown = { session: { user: { id: string; email: string | null } } | null; oidc: boolean }
type Members = { items: { userId: string; email: string | null; name: string }[] }

for (const { name, open } of databases) {
  describe(`signing in through an OpenID provider on ${name}`, () => {
    const clock = handClock()
    let database: TestDatabase
    let server: OidcServer
    before(async () => {
      database = await open({ migrations })
      server = await startOidcServer(clock)
    })
    afterEach(() => {
      server.spoil = (claims) => claims
      server.person = { sub: randomBytes(8).toString('hex') }
      server.userinfo = null
    })
    after(async () => {
      await server[Symbol.asyncDispose]()
      await database.close()
    })

    const client = (given: Partial<OidcSettings> = {}) => {
      const { id: clientId, secret: clientSecret } = server.client
      const scopes = ['openid', 'email', 'profile']
      return createOidcClient(
        {
          ...{ issuer: server.issuer, clientId, clientSecret, redirectUri, scopes },
          ...{ emailVerified: 'required', ...given },
        },
        { fetchJson, clock, random: randomBytes },
      )
    }
    const setting = (signUp: SignUpPolicy = 'open', issuer = server.issuer) =>
      openConsole(database.db, clock, { signUp, oidc: client({ issuer }) })

    const locationOf = async (
      browser: Browser,
      operation: string,
      query?: Record<string, string>,
    ) => {
      const { status, headers, body } = await browser.call(operation, query ? { query } : {})
      assert.deepEqual([status, body], [303, undefined])
      return headers?.location ?? ''
    }

    /** Goes to the provider and comes back; returns what the way back carries. */
    async function goThere(browser: Browser): Promise<Record<string, string>> {
      const back = new URL(await server.visit(await locationOf(browser, 'startOidcSignIn')))
      assert.equal(back.origin + back.pathname, redirectUri)
      return Object.fromEntries(back.searchParams)
    }

    const comeBack = (browser: Browser, query: Record<string, string>) =>
      locationOf(browser, 'finishOidcSignIn', query)

    /** The same, with a link that the person was given. */
    async function signInWith(browser: Browser, body: { kind: string; token: string }) {
      const { address } = await browser.data<{ address: string }>('startOidcWithLink', { body })
      const back = new URL(await server.visit(address))
      return comeBack(browser, Object.fromEntries(back.searchParams))
    }

    const signIn = async (browser: Browser) => comeBack(browser, await goThere(browser))
    const sessionOf = async (browser: Browser) => (await browser.data<Shown>('getSession')).session
    const problem = (what: string) => `${baseUrl}/console/sign-in?error=${what}`

    test('a subject or an e-mail that is not well-formed text signs nobody in', async () => {
      const { browser } = await setting()
      const email_verified = true
      for (const person of [
        { sub: 'p-\ud800' },
        { sub: 'p-\0' },
        { sub: 'p', email: 'a\udc00@example.com', email_verified },
      ]) {
        server.person = person
        const mine = browser()
        assert.equal(await signIn(mine), problem('refused'))
        assert.equal(await sessionOf(mine), null)
      }
    })

    test('a new person gets a user, and the same one every time', async () => {
      const { browser } = await setting()
      server.person = { sub: 'p-1', email: 'Ada@Example.com', email_verified: true }
      const mine = browser()
      assert.equal(await signIn(mine), `${baseUrl}/console/`)
      const first = await sessionOf(mine)
      assert.equal(first?.user.email, 'ada@example.com')
      const again = browser()
      await signIn(again)
      assert.deepEqual(await sessionOf(again), first)
      server.person = { sub: 'p-2' }
      const other = browser()
      await signIn(other)
      assert.notEqual((await sessionOf(other))?.user.id, first?.user.id)
    })

    test('the browser keeps nothing readable while it is away', async () => {
      const { browser } = await setting()
      const mine = browser()
      const url = new URL(await locationOf(mine, 'startOidcSignIn'))
      const cookie = Buffer.from(mine.cookies.get('__Host-oidc') ?? '', 'base64url')
      assert.ok(cookie.length > 100)
      for (const name of ['state', 'nonce']) {
        const value = url.searchParams.get(name) ?? ''
        assert.match(value, /^[\w-]{43}$/)
        assert.equal(cookie.includes(value), false)
      }
      assert.equal(url.searchParams.get('code_challenge_method'), 'S256')
    })

    test('an unverified e-mail is not taken over, and a taken one joins nobody', async () => {
      const { browser } = await setting()
      const email = `${randomBytes(6).toString('hex')}@example.com`
      const owner = browser()
      await owner.data('signUp', { body: { email, password: 'correct horse battery' } })
      for (const email_verified of [true, false]) {
        server.person = { sub: randomBytes(8).toString('hex'), email, email_verified }
        const stranger = browser()
        await signIn(stranger)
        const session = await sessionOf(stranger)
        assert.equal(session?.user.email, null)
        assert.notEqual(session?.user.id, (await sessionOf(owner))?.user.id)
      }
    })

    test('an answer that belongs to another browser’s sign-in is refused', async () => {
      const { browser } = await setting()
      const [attacker, victim] = [browser(), browser()]
      const query = await goThere(attacker)
      assert.equal(await comeBack(victim, query), problem('expired'))
      await goThere(victim)
      assert.equal(await comeBack(victim, query), problem('expired'))
      assert.equal(await sessionOf(victim), null)
    })

    test('an answer works once, in time, and with its state', async () => {
      const { browser } = await setting()
      const mine = browser()
      const query = await goThere(mine)
      assert.equal(await comeBack(mine, { ...query, state: 'x' }), problem('expired'))
      const { state, ...stateless } = query
      assert.equal(await comeBack(mine, stateless), problem('expired'))
      assert.equal(await comeBack(mine, query), `${baseUrl}/console/`)
      assert.equal(await comeBack(mine, query), problem('refused'))
      const late = browser()
      const lateQuery = await goThere(late)
      clock.at += 600_000
      assert.equal(await comeBack(late, lateQuery), problem('expired'))
    })

    test('a changed cookie is worth nothing', async () => {
      const { browser } = await setting()
      const mine = browser()
      const query = await goThere(mine)
      const cookie = mine.cookies.get('__Host-oidc') ?? ''
      const middle = cookie.length >> 1
      const letter = cookie[middle] === 'A' ? 'B' : 'A'
      for (const value of [cookie.slice(0, middle) + letter + cookie.slice(middle + 1), 'x', '']) {
        mine.cookies.set('__Host-oidc', value)
        assert.equal(await comeBack(mine, query), problem('expired'))
      }
    })

    const lies: [string, (claims: JWTPayload) => JWTPayload][] = [
      ['for another client', (claims) => ({ ...claims, aud: 'someone else' })],
      [
        'for several clients, ours not the party',
        (claims) => ({ ...claims, aud: [String(claims.aud), 'x'] }),
      ],
      ['of another issuer', (claims) => ({ ...claims, iss: 'https://other.example' })],
      ['for another sign-in', (claims) => ({ ...claims, nonce: 'x' })],
      ['without nonce', ({ nonce, ...claims }) => claims],
      ['without subject', ({ sub, ...claims }) => claims],
      ['that has expired', (claims) => ({ ...claims, exp: Number(claims.iat) - 60 })],
    ]
    for (const [what, spoil] of lies) {
      test(`an id token ${what} signs nobody in`, async () => {
        const { browser } = await setting()
        server.spoil = spoil
        const mine = browser()
        assert.equal(await signIn(mine), problem('refused'))
        assert.equal(await sessionOf(mine), null)
      })
    }

    test('someone who says no at the provider comes back to the sign-in page', async () => {
      const { browser } = await setting()
      const mine = browser()
      const { state = '' } = await goThere(mine)
      assert.equal(await comeBack(mine, { state, error: 'access_denied' }), problem('denied'))
    })

    test('with sign-up closed only known people come in', async () => {
      const { browser: openBrowser } = await setting('open')
      server.person = { sub: 'known' }
      await signIn(openBrowser())
      const { browser } = await setting('closed')
      assert.equal(await signIn(browser()), `${baseUrl}/console/`)
      server.person = { sub: 'unknown' }
      assert.equal(await signIn(browser()), problem('sign-up-closed'))
    })

    test('a stranger never becomes the owner, who comes with the set-up link', async () => {
      await using fresh = await open({ migrations })
      const dataDir = await mkdtemp(join(tmpdir(), 'atelier-oidc-'))
      const { setupLink } = await ensureOwner({
        ...{ db: fresh.db, dataDir, clock, baseUrl, random: randomBytes },
      })
      await rm(dataDir, { recursive: true })
      const { oidc } = (await setting('first-user')).services
      assert.ok(oidc)
      const { browser } = await openConsole(fresh.db, clock, { signUp: 'first-user', oidc })
      server.person = { sub: 'stranger' }
      assert.equal(await signIn(browser()), problem('sign-up-closed'))
      server.person = { sub: 'owner' }
      const [owner, late] = [browser(), browser()]
      const link = { kind: 'set-up', token: tokenOf(setupLink ?? '') } as const
      assert.equal(await signInWith(owner, link), `${baseUrl}/console/`)
      assert.equal((await sessionOf(owner))?.user.id, await readFact(fresh.db, 'owner'))
      server.person = { sub: 'late' }
      assert.equal(await signInWith(late, link), problem('refused'))
      assert.equal(await sessionOf(late), null)
    })

    test('an invitation joins its account, once, for who signs in with it', async () => {
      const { oidc } = (await setting('closed')).services
      assert.ok(oidc)
      const team = await openTeam(database.db, { oidc, clock })
      const { link } = await team.invite({ email: newEmail(), role: 'editor' })
      const invitation = { kind: 'invitation', token: tokenOf(link) } as const
      server.person = { sub: 'colleague' }
      const colleague = team.browser()
      assert.equal(await signInWith(colleague, invitation), `${baseUrl}/console/`)
      assert.equal((await colleague.data('getAccount')).id, team.accountId)
      assert.equal(await signIn(team.browser()), `${baseUrl}/console/`, 'and comes back without it')
      server.person = { sub: 'another' }
      assert.equal(await signInWith(team.browser(), invitation), problem('refused'))
    })

    const subject = () => randomBytes(8).toString('hex')
    /** What the account shows of the person who is signed in. */
    async function memberOf(browser: Browser) {
      const id = (await sessionOf(browser))?.user.id
      const { items } = await browser.data<Members>('listMembers')
      const member = items.find(({ userId }) => userId === id)
      return { email: member?.email, name: member?.name }
    }
    async function memberAfter(oidc = client(), openAs: SignUpPolicy = 'open') {
      const { browser } = await openConsole(database.db, clock, { signUp: openAs, oidc })
      const mine = browser()
      assert.equal(await signIn(mine), `${baseUrl}/console/`)
      return memberOf(mine)
    }

    test('what the id token does not say is asked of userinfo', async () => {
      const [sub, email] = [subject(), newEmail()]
      server.person = { sub }
      server.userinfo = { sub, email: email.toUpperCase(), email_verified: true, name: 'Ada Byron' }
      assert.deepEqual(await memberAfter(), { email, name: 'Ada Byron' })
    })

    test('userinfo is not asked where the id token says it all', async () => {
      const email = newEmail()
      server.person = { sub: subject(), email, email_verified: true, name: 'Ada Byron' }
      const asked = server.hits.get('/userinfo') ?? 0
      assert.deepEqual(await memberAfter(), { email, name: 'Ada Byron' })
      assert.equal(server.hits.get('/userinfo') ?? 0, asked)
    })

    test('userinfo of somebody else signs nobody in', async () => {
      const { browser } = await setting()
      server.person = { sub: subject() }
      for (const sub of [subject(), undefined]) {
        server.userinfo = { sub: sub as string, email: newEmail(), email_verified: true }
        const mine = browser()
        assert.equal(await signIn(mine), problem('refused'))
        assert.equal(await sessionOf(mine), null)
      }
    })

    test('userinfo that fails keeps nobody out, and the next sign-in adds what was missing', async () => {
      const [sub, email] = [subject(), newEmail()]
      server.person = { sub }
      assert.deepEqual(await memberAfter(), { email: null, name: sub })
      server.userinfo = { sub, email, email_verified: true, name: 'Ada Byron' }
      assert.deepEqual(await memberAfter(), { email, name: 'Ada Byron' })
      server.userinfo = { sub, email: newEmail(), email_verified: true, name: 'Ada Lovelace' }
      assert.deepEqual(await memberAfter(), { email, name: 'Ada Lovelace' }, 'an e-mail stays')
      const taken = subject()
      server.person = { sub: taken }
      server.userinfo = null
      await memberAfter()
      server.userinfo = { sub: taken, email, email_verified: true, name: 'Eve' }
      assert.deepEqual(await memberAfter(), { email: null, name: 'Eve' })
    })

    test('an e-mail that may be unverified counts only where the operator trusts the provider', async () => {
      const trusting = client({ emailVerified: 'trusted' })
      for (const [email_verified, untrusted, trusted] of [
        [undefined, false, true],
        [null, false, true],
        [true, true, true],
        ['true', true, true],
        [false, false, false],
        ['false', false, false],
        [0, false, false],
      ]) {
        for (const [oidc, counts] of [
          [client(), untrusted],
          [trusting, trusted],
        ] as const) {
          const email = newEmail()
          server.person = { sub: subject(), email, email_verified, name: 'Ada' }
          const expected = { email: counts ? email : null, name: 'Ada' }
          assert.deepEqual(await memberAfter(oidc), expected, String(email_verified))
        }
      }
    })

    test('an e-mail that the id token calls unverified is not trusted through userinfo', async () => {
      const [sub, email] = [subject(), newEmail()]
      server.person = { sub, email, email_verified: false }
      server.userinfo = { sub, email, email_verified: true, name: 'Ada' }
      const found = await memberAfter(client({ emailVerified: 'trusted' }))
      assert.deepEqual(found, { email: null, name: 'Ada' })
    })

    test('everybody has a name, the best that the provider knows', async () => {
      for (const [claims, name] of [
        [{ name: ' Ada \n Byron ', preferred_username: 'ada' }, 'Ada Byron'],
        [{ name: ' ', preferred_username: 'ada', given_name: 'Ada' }, 'ada'],
        [{ given_name: 'Ada', family_name: 'Byron', name: 7 }, 'Ada Byron'],
        [{ family_name: 'Byron' }, 'Byron'],
        [{ email: 'ada.byron@example.com' }, 'ada.byron'],
        [{ name: 'A'.repeat(150) }, 'A'.repeat(100)],
      ] as const) {
        server.person = { sub: subject(), ...claims }
        assert.equal((await memberAfter()).name, name)
      }
    })

    test('who joins by invitation and has no e-mail gets that of the invitation', async () => {
      const team = await openTeam(database.db, { oidc: client(), clock })
      const joinWith = async (person: object) => {
        const { link, email } = await team.invite({ email: newEmail(), role: 'editor' })
        server.person = { sub: subject(), ...person }
        const browser = team.browser()
        const invitation = { kind: 'invitation', token: tokenOf(link) }
        assert.equal(await signInWith(browser, invitation), `${baseUrl}/console/`)
        return { invited: email, member: await memberOf(browser) }
      }
      const silent = await joinWith({})
      assert.deepEqual(silent.member, { email: silent.invited, name: silent.invited })
      const named = await joinWith({ name: 'Ada', email: newEmail(), email_verified: false })
      assert.deepEqual(named.member, { email: named.invited, name: 'Ada' })
      const email = newEmail()
      const known = await joinWith({ email, email_verified: true })
      assert.deepEqual(known.member, { email, name: email.split('@')[0] })
    })

    test('an invited e-mail that somebody took meanwhile stays theirs, and the member has a name', async () => {
      const team = await openTeam(database.db, { oidc: client(), clock })
      const { link, email } = await team.invite({ email: newEmail(), role: 'editor' })
      await team.browser().data('signUp', { body: { email, password }, ipAddress: newAddress() })
      const colleague = team.browser()
      await signInWith(colleague, { kind: 'invitation', token: tokenOf(link) })
      assert.deepEqual(await memberOf(colleague), { email: null, name: email })
      type Audit = { items: { action: string; target: string; actor: { name: string } }[] }
      const { items } = await team.owner.data<Audit>('listAudit')
      const joined = items.find(({ action }) => action === 'member.joined')
      assert.equal(joined?.target, `${email} editor, invited by ${team.ownerEmail}`)
      assert.equal(joined?.actor.name, email)
    })

    test('a disabled account stays out', async () => {
      const { browser } = await setting()
      const mine = browser()
      await signIn(mine)
      await setAccountDisabled(database.db, String((await mine.data('getAccount')).id), clock.at)
      assert.equal(await signIn(browser()), problem('disabled'))
    })

    test('a provider that is down or another one sends the browser back', async () => {
      const down = await setting('open', 'http://127.0.0.1:1')
      assert.equal(await locationOf(down.browser(), 'startOidcSignIn'), problem('unavailable'))
      const other = await setting('open', `${server.issuer}/another`)
      const asked = () => server.hits.get('/another/.well-known/openid-configuration') ?? 0
      const before = asked()
      for (let i = 0; i < 20; i++) {
        assert.equal(await locationOf(other.browser(), 'startOidcSignIn'), problem('unavailable'))
      }
      assert.equal(asked(), before + 1, 'and is not asked for each of them')
    })

    test('where no provider is configured there is nothing', async () => {
      const { browser } = await openConsole(database.db, clock)
      assert.equal((await browser().data<Shown>('getSession')).oidc, false)
      for (const operation of ['startOidcSignIn', 'finishOidcSignIn']) {
        assert.equal((await browser().refusal(operation)).code, 'ROUTE_NOT_FOUND')
      }
    })
  })
}
