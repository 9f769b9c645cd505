import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { databases, type TestDatabase } from '../../support/databases.ts'
import {
  audience,
  baseUrl,
  counting,
  expired,
  handClock,
  invalid,
  makePerson,
  migrations,
  startProcess,
  verified,
} from './setting.ts'

const secondMs = 1_000
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

for (const { name, open } of databases) {
  describe(`own tokens on ${name}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await open({ migrations })
    })
    after(() => database.close())

    async function setting() {
      const clock = handClock()
      const { db, asked } = counting(database.db)
      const person = await makePerson(db, clock.at)
      const process = await startProcess(db, clock)
      const mint = (ttlSeconds = 900) =>
        process.ownTokens.mint({ ...person, scopes: ['runs:read', 'chat:write'], ttlSeconds })
      /** A token like ours with something changed, signed with our own key. */
      const forge = (claims: JWTPayload, header: object = {}) => {
        const { kid, key } = process.keyRing.signer()
        const iat = Math.floor(clock.at / 1000)
        const ours = {
          iss: baseUrl,
          aud: audience,
          sub: person.userId,
          acct: person.accountId,
          scope: 'runs:read',
          iat,
          exp: iat + 60,
          jti: 'x',
        }
        return new SignJWT({ ...ours, ...claims })
          .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid, ...header })
          .sign(key)
      }
      return { clock, db, asked, person, ...process, mint, forge }
    }

    test('a minted token has the promised header and claims', async () => {
      const { clock, person, mint, keyRing } = await setting()
      const { token, expiresAtMs } = await mint(600)
      const [jwk] = keyRing.jwks().keys
      assert.ok(jwk)
      const { kty = '', crv = '', x = '' } = jwk
      assert.deepEqual(decodeProtectedHeader(token), {
        alg: 'EdDSA',
        typ: 'at+jwt',
        kid: await calculateJwkThumbprint({ kty, crv, x }),
      })
      const { jti, ...claims } = decodeJwt(token)
      assert.match(jti ?? '', /^[0-9a-f-]{36}$/)
      assert.deepEqual(claims, {
        iss: baseUrl,
        aud: audience,
        sub: person.userId,
        acct: person.accountId,
        scope: 'runs:read chat:write',
        iat: clock.at / 1000,
        exp: clock.at / 1000 + 600,
      })
      assert.equal(expiresAtMs, clock.at + 600 * secondMs)
    })

    test('anyone can check a token with the published keys, which hold nothing private', async () => {
      const { clock, mint, keyRing } = await setting()
      const published = structuredClone(keyRing.jwks())
      for (const jwk of published.keys) {
        assert.deepEqual(Object.keys(jwk).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
      }
      const { token } = await mint()
      await jwtVerify(token, createLocalJWKSet(published), {
        currentDate: new Date(clock.at),
        audience,
      })
    })

    test('a token speaks for its user and account with its scopes', async () => {
      const { person, mint, verifier } = await setting()
      assert.deepEqual(await verified(verifier, (await mint()).token), {
        ...person,
        keyId: null,
        scopes: new Set(['runs:read', 'chat:write']),
        limits: {},
        accountSpendPerMonthMicros: null,
      })
    })

    test('a token checked a moment ago costs no read and no promise', async () => {
      const { asked, mint, verifier } = await setting()
      const { token } = await mint()
      const first = await verified(verifier, token)
      const { reads } = asked
      assert.equal(verifier.verify(`Bearer ${token}`), first)
      assert.equal(asked.reads, reads)
    })

    test('a token lives for fifteen minutes at most, and 30 s of skew', async () => {
      const { clock, mint, verifier } = await setting()
      const { token } = await mint(86_400)
      clock.at += 929 * secondMs
      await verified(verifier, token)
      clock.at += 1 * secondMs
      await assert.rejects(verified(verifier, token), expired)
    })

    test('any changed letter makes a token invalid', async () => {
      const { mint, verifier } = await setting()
      const { token } = await mint()
      for (let i = 0; i < token.length - 1; i += 7) {
        const letter = token[i] === 'A' ? 'B' : 'A'
        const tampered = token.slice(0, i) + letter + token.slice(i + 1)
        await assert.rejects(verified(verifier, tampered), invalid, `position ${i}`)
      }
    })

    test('raised scopes under the old signature are refused', async () => {
      const { mint, verifier } = await setting()
      const [header, , signature] = (await mint()).token.split('.')
      const { token } = await mint()
      const claims = encode({ ...decodeJwt(token), scope: 'workflows:write' })
      await assert.rejects(verified(verifier, `${header}.${claims}.${signature}`), invalid)
    })

    const wrong: [string, (nowSeconds: number) => JWTPayload, object?][] = [
      ['of another issuer', () => ({ iss: 'https://other.example' })],
      ['for another audience', () => ({ aud: baseUrl })],
      ['without audience', () => ({ aud: undefined })],
      ['without subject', () => ({ sub: undefined })],
      ['without account', () => ({ acct: undefined })],
      ['without scope', () => ({ scope: undefined })],
      ['without expiry', () => ({ exp: undefined })],
      ['without time of issue', () => ({ iat: undefined })],
      ['without identifier', () => ({ jti: undefined })],
      ['issued in the future', (now) => ({ iat: now + 31, exp: now + 90 })],
      ['not valid yet', (now) => ({ nbf: now + 31 })],
      ['that lives too long', (now) => ({ exp: now + 901 })],
      ['whose account is no text', () => ({ acct: { id: 1 } })],
      ['of another type', () => ({}), { typ: 'JWT' }],
      ['without a type', () => ({}), { typ: undefined }],
      ['with an unknown key', () => ({}), { kid: 'someone-elses' }],
      ['without a key', () => ({}), { kid: undefined }],
      ['with an extension', () => ({}), { crit: ['b64'], b64: true }],
    ]
    for (const [what, claims, header] of wrong) {
      test(`a well-signed token ${what} is refused`, async () => {
        const { clock, forge, verifier } = await setting()
        const token = await forge(claims(clock.at / 1000), header)
        await assert.rejects(verified(verifier, token), invalid)
      })
    }

    test('a token from a clock 30 s ahead is accepted', async () => {
      const { clock, forge, verifier } = await setting()
      const now = clock.at / 1000
      await verified(verifier, await forge({ iat: now + 30, nbf: now + 30, exp: now + 90 }))
    })

    test('a token of a user in another account is refused', async () => {
      const { clock, db, forge, verifier } = await setting()
      const stranger = await makePerson(db, clock.at)
      await assert.rejects(verified(verifier, await forge({ acct: stranger.accountId })), invalid)
    })

    test('an unsigned token is refused in every spelling', async () => {
      const { mint, verifier } = await setting()
      const [, claims] = (await mint()).token.split('.')
      for (const alg of ['none', 'None', 'NONE', 'nOnE', '', undefined]) {
        const header = encode({ alg, typ: 'at+jwt' })
        await assert.rejects(verified(verifier, `${header}.${claims}.`), invalid, alg)
      }
    })

    test('a token signed with the public key as a shared secret is refused', async () => {
      const { mint, verifier, keyRing } = await setting()
      const [jwk] = keyRing.jwks().keys
      assert.ok(jwk)
      const key = await importJWK(jwk, 'EdDSA')
      assert.ok(!(key instanceof Uint8Array))
      const secrets = [
        await exportSPKI(key),
        JSON.stringify(jwk),
        Buffer.from(jwk.x ?? '', 'base64url'),
      ]
      const [, claims] = (await mint()).token.split('.')
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        for (const secret of secrets) {
          const signed = `${encode({ alg, typ: 'at+jwt', kid: jwk.kid })}.${claims}`
          const mac = createHmac(`sha${alg.slice(2)}`, secret)
            .update(signed)
            .digest('base64url')
          await assert.rejects(verified(verifier, `${signed}.${mac}`), invalid)
        }
      }
    })

    test('a key that the token itself brings or points to is never used', async () => {
      const { clock, mint, verifier } = await setting()
      const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
      const jwk = await exportJWK(publicKey)
      const { token } = await mint()
      const headers = [
        { jwk },
        { jwk, kid: await calculateJwkThumbprint(jwk) },
        { jku: 'http://127.0.0.1:1/jwks', kid: 'x' },
        { x5u: 'http://127.0.0.1:1/cert', kid: 'x' },
        { ...decodeProtectedHeader(token), jwk },
      ]
      for (const header of headers) {
        const forged = await new SignJWT({ ...decodeJwt(token), iat: clock.at / 1000 })
          .setProtectedHeader({ ...header, alg: 'EdDSA', typ: 'at+jwt' })
          .sign(privateKey)
        await assert.rejects(verified(verifier, forged), invalid, JSON.stringify(header))
      }
    })

    test('a token of more than 8 KiB is refused although it is signed', async () => {
      const { forge, verifier } = await setting()
      await verified(verifier, await forge({ padding: 'x'.repeat(4_000) }))
      await assert.rejects(verified(verifier, await forge({ padding: 'x'.repeat(8_000) })), invalid)
    })

    test('nonsense is refused and never breaks anything', async () => {
      const { asked, verifier } = await setting()
      const { reads } = asked
      const deep = `${'['.repeat(3_000)}${']'.repeat(3_000)}`
      const nonsense = [
        'x',
        '..',
        'a.b.c',
        'a.b.c.d.e',
        '\u00ff\u00ff.\u00ff.\u00ff',
        `${encode(null)}.${encode(null)}.x`,
        `${encode([])}.${encode('text')}.x`,
        `${encode({ alg: {} })}.${encode({ iss: {} })}.x`,
        `${encode({ alg: 'EdDSA', typ: 7 })}.${encode({ iss: baseUrl })}.x`,
        `${Buffer.from(deep).toString('base64url').slice(0, 4_000)}.${encode({ iss: baseUrl })}.x`,
        `${encode({ alg: 'EdDSA', typ: 'at+jwt', kid: { a: 1 } })}.${encode({ iss: baseUrl })}.AA`,
      ]
      for (const token of nonsense) await assert.rejects(verified(verifier, token), invalid, token)
      assert.equal(asked.reads, reads)
    })
  })
}
