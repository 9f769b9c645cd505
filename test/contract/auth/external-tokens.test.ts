import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import {
  CompactSign,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  type JWTPayload,
  SignJWT,
} from 'jose'
import type { ExternalIssuer } from '#auth/issuers-file.ts'
import { setAccountDisabled } from '#store/tables/accounts.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { type OidcServer, startOidcServer } from '../../support/oidc-server.ts'
import {
  expired,
  handClock,
  invalid,
  makePerson,
  migrations,
  startProcess,
  verified,
} from './setting.ts'

const secondMs = 1_000

for (const { name, open } of databases) {
  describe(`tokens of external issuers on ${name}`, () => {
    const clock = handClock()
    let database: TestDatabase
    let server: OidcServer
    before(async () => {
      database = await open({ migrations })
      server = await startOidcServer(clock)
    })
    after(async () => {
      await server[Symbol.asyncDispose]()
      await database.close()
    })

    const publishedKeys = async () => (await (await fetch(server.jwksUrl)).json()) as JSONWebKeySet

    async function setting(options: Partial<ExternalIssuer> = {}) {
      const { db } = database
      const person = await makePerson(db, clock.at)
      const issuer: ExternalIssuer = {
        issuer: server.issuer,
        audience: 'atelier',
        algorithms: ['ES256'],
        keys: { url: server.jwksUrl },
        accountClaim: 'account',
        autoProvision: false,
        defaultScopes: ['models:read'],
        ...options,
      }
      const { verifier } = await startProcess(db, clock, { issuers: [issuer] })
      const now = Math.floor(clock.at / 1000)
      const claims = (changed: JWTPayload = {}): JWTPayload => ({
        iss: server.issuer,
        aud: 'atelier',
        sub: 'someone',
        account: person.accountId,
        exp: now + 300,
        ...changed,
      })
      return { db, person, verifier, claims, now }
    }

    test('a token speaks for the account its claim names, with our scopes only', async () => {
      const { person, verifier, claims } = await setting()
      const token = await server.sign(claims({ scope: 'openid runs:read runs:write admin' }))
      assert.deepEqual(await verified(verifier, token), {
        accountId: person.accountId,
        userId: null,
        keyId: null,
        scopes: new Set(['runs:read', 'runs:write']),
        limits: {},
        accountSpendPerMonthMicros: null,
      })
    })

    test('a subject that is not well-formed text is refused: two of them would be stored as one', async () => {
      const { verifier, claims } = await setting({ accountClaim: 'sub', autoProvision: true })
      for (const sub of ['tenant-\ud800', 'tenant-\ud801', '\udc00', 'tenant-\0']) {
        await assert.rejects(verified(verifier, await server.sign(claims({ sub }))), invalid)
      }
      const whole = await verified(verifier, await server.sign(claims({ sub: 'tenant-\ufffd' })))
      const paired = await verified(verifier, await server.sign(claims({ sub: 'tenant-😀' })))
      assert.notEqual(whole.accountId, paired.accountId)
    })

    test('claims whose bytes are not UTF-8 are refused', async () => {
      const { publicKey, privateKey } = await generateKeyPair('ES256')
      const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }
      const own = { accountClaim: 'sub', autoProvision: true, keys: { jwks } }
      const { verifier, claims } = await setting(own)
      const signed = (sub: Buffer) => {
        const [before = '', after = ''] = JSON.stringify(claims({ sub: '|' })).split('|')
        const bytes = Buffer.concat([Buffer.from(before), sub, Buffer.from(after)])
        return new CompactSign(bytes)
          .setProtectedHeader({ alg: 'ES256', kid: 'k' })
          .sign(privateKey)
      }
      assert.ok((await verified(verifier, await signed(Buffer.from('grün')))).accountId)
      for (const byte of [0xfe, 0xff]) {
        await assert.rejects(verified(verifier, await signed(Buffer.from([byte]))), invalid)
      }
    })

    test('the default scopes go to a token without a scope claim, and to no other', async () => {
      const { verifier, claims } = await setting()
      const scopesOf = async (scope?: unknown) => [
        ...(await verified(verifier, await server.sign(claims({ scope })))).scopes,
      ]
      assert.deepEqual(await scopesOf(), ['models:read'])
      assert.deepEqual(await scopesOf('openid'), [])
      assert.deepEqual(await scopesOf(['runs:read']), [])
    })

    for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA'] as const) {
      test(`${alg} is accepted where it is configured and refused where it is not`, async () => {
        await server.addKey(alg)
        const allowed = await setting({ algorithms: [alg] })
        await verified(allowed.verifier, await server.sign(allowed.claims()))
        const others = ['RS256', 'PS256', 'ES256', 'EdDSA'].filter((other) => other !== alg)
        const refusing = await setting({ algorithms: others })
        await assert.rejects(
          verified(refusing.verifier, await server.sign(refusing.claims())),
          invalid,
        )
        await server.addKey('ES256')
      })
    }

    test('a key configured in the file needs no network', async () => {
      const jwks = await publishedKeys()
      const asked = server.hits.get('/jwks')
      const { verifier, claims } = await setting({ keys: { jwks } })
      await verified(verifier, await server.sign(claims()))
      assert.equal(server.hits.get('/jwks'), asked)
    })

    const wrong: [string, (now: number) => JWTPayload, object?][] = [
      ['for another audience', () => ({ aud: 'someone else' })],
      ['without audience', () => ({ aud: undefined })],
      ['without subject', () => ({ sub: undefined })],
      ['with an empty subject', () => ({ sub: '' })],
      ['without expiry', () => ({ exp: undefined })],
      ['issued in the future', (now) => ({ iat: now + 31 })],
      ['not valid yet', (now) => ({ nbf: now + 31 })],
      ['without account', () => ({ account: undefined })],
      ['whose account is no text', () => ({ account: 7 })],
      ['whose account is no identifier', () => ({ account: "x' or 1=1 --" })],
      ['whose account does not exist', () => ({ account: crypto.randomUUID() })],
      ['of an issuer nobody configured', () => ({ iss: 'https://other.example' })],
      ['of another type', () => ({}), { typ: 'logout+jwt' }],
      ['with an extension', () => ({}), { crit: ['b64'], b64: true }],
    ]
    for (const [what, changed, header] of wrong) {
      test(`a well-signed token ${what} is refused`, async () => {
        const { verifier, claims, now } = await setting()
        const token = await server.sign(claims(changed(now)), header)
        await assert.rejects(verified(verifier, token), invalid)
      })
    }

    test('the types access tokens and plain tokens carry are accepted', async () => {
      const { verifier, claims } = await setting()
      for (const typ of [undefined, 'JWT', 'at+jwt', 'application/at+jwt']) {
        await verified(verifier, await server.sign(claims(), { typ }))
      }
    })

    test('an expired token is told so, after 30 s of skew', async () => {
      const { verifier, claims, now } = await setting()
      await verified(verifier, await server.sign(claims({ exp: now - 29 })))
      await assert.rejects(
        verified(verifier, await server.sign(claims({ exp: now - 30 }))),
        expired,
      )
    })

    test('an RSA public key used as a shared secret signs nothing', async () => {
      await server.addKey('RS256')
      const { verifier, claims } = await setting({ algorithms: ['RS256', 'ES256'] })
      const jwk = (await publishedKeys()).keys.at(-1)
      assert.ok(jwk?.n)
      const forged = await new SignJWT(claims())
        .setProtectedHeader({ alg: 'HS256', kid: jwk.kid })
        .sign(Buffer.from(JSON.stringify(jwk)))
      await assert.rejects(verified(verifier, forged), invalid)
      const [, payload] = forged.split('.')
      const signed = `${Buffer.from(JSON.stringify({ alg: 'HS256' })).toString('base64url')}.${payload}`
      const mac = createHmac('sha256', Buffer.from(jwk.n, 'base64url')).update(signed)
      await assert.rejects(verified(verifier, `${signed}.${mac.digest('base64url')}`), invalid)
      await server.addKey('ES256')
    })

    test('a new key of the issuer works after half a minute at most', async () => {
      const { verifier, claims } = await setting()
      await verified(verifier, await server.sign(claims()))
      await server.addKey('ES256')
      const token = await server.sign(claims())
      await assert.rejects(verified(verifier, token), invalid)
      clock.at += 30 * secondMs
      await verified(verifier, token)
    })

    test('with auto-provision each subject gets one account, however many tokens come at once', async () => {
      const { verifier, claims, db } = await setting({ autoProvision: true })
      const sign = (account: string) => server.sign(claims({ account }))
      const tokens = await Promise.all(Array.from({ length: 8 }, () => sign('org-1')))
      const principals = await Promise.all(tokens.map((token) => verified(verifier, token)))
      const [first] = principals
      assert.ok(first)
      assert.equal(new Set(principals.map(({ accountId }) => accountId)).size, 1)
      const other = await verified(verifier, await sign('org-2'))
      assert.notEqual(other.accountId, first.accountId)
      const rows = await db.query<{ name: string }>(
        "select name from accounts where name in ('org-1', 'org-2') order by name",
      )
      assert.deepEqual(rows, [{ name: 'org-1' }, { name: 'org-2' }])
    })

    test('with auto-provision a token cannot name an account of this server', async () => {
      const { verifier, claims, person } = await setting({ autoProvision: true })
      const principal = await verified(verifier, await server.sign(claims()))
      assert.notEqual(principal.accountId, person.accountId)
    })

    test('a subject that cannot be stored is refused, not an error', async () => {
      const { verifier, claims } = await setting({ autoProvision: true })
      for (const account of ['a\0b', 'x'.repeat(256)]) {
        await assert.rejects(verified(verifier, await server.sign(claims({ account }))), invalid)
      }
    })

    test('a disabled account is disabled for its issuer too', async () => {
      const { verifier, claims, person, db } = await setting()
      await setAccountDisabled(db, person.accountId, clock.at)
      await assert.rejects(verified(verifier, await server.sign(claims())), {
        code: 'ACCOUNT_DISABLED',
      })
    })
  })
}
