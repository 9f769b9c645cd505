import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { openKeyRing } from '#auth/key-ring.ts'
import { createSecretBox } from '#store/secret-box.ts'
import { databases } from '../../support/databases.ts'
import {
  box,
  counting,
  expired,
  handClock,
  invalid,
  makePerson,
  migrations,
  startProcess,
  verified,
} from './setting.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

for (const { name, open } of databases) {
  describe(`signing keys on ${name}`, () => {
    test('processes that start together share one key and accept each other’s tokens', async () => {
      await using database = await open({ migrations })
      const clock = handClock()
      const person = await makePerson(database.db, clock.at)
      const processes = await Promise.all(
        Array.from({ length: 5 }, () => startProcess(database.db, clock)),
      )
      const published = processes.map(({ keyRing }) => JSON.stringify(keyRing.jwks()))
      assert.equal(new Set(published).size, 1)
      for (const { ownTokens } of processes) {
        const { token } = await ownTokens.mint({ ...person, scopes: [], ttlSeconds: 900 })
        for (const { verifier } of processes) await verified(verifier, token)
      }
    })

    test('a rotation over months: published first, used for 30 days, kept for its last token', async () => {
      await using database = await open({ migrations })
      const clock = handClock()
      const startMs = clock.at
      const person = await makePerson(database.db, clock.at)
      const { keyRing, ownTokens, verifier } = await startProcess(database.db, clock)
      const mint = () => ownTokens.mint({ ...person, scopes: [], ttlSeconds: 900 })
      const published = () => keyRing.jwks().keys.map(({ kid }) => kid)
      const signer = async () => decodeProtectedHeader((await mint()).token).kid
      const goTo = async (sinceStartMs: number) => {
        clock.at = startMs + sinceStartMs
        await keyRing.rotateIfDue()
      }

      const first = await signer()
      await goTo(29 * dayMs - minuteMs)
      assert.deepEqual(published(), [first])
      await goTo(29 * dayMs)
      const [, second] = published()
      assert.deepEqual(published(), [first, second])
      assert.equal(await signer(), first)
      await goTo(30 * dayMs - 1)
      assert.equal(await signer(), first)
      const { token: last } = await mint()
      await goTo(30 * dayMs)
      assert.equal(await signer(), second)
      await verified(verifier, last)
      await goTo(30 * dayMs + 15 * minuteMs)
      assert.deepEqual(published(), [first, second])
      await verified(verifier, last)
      await goTo(30 * dayMs + hourMs)
      assert.deepEqual(published(), [second])
      // Its key is gone as well, so what is told is no longer the expiry.
      await assert.rejects(verified(verifier, last), invalid)
    })

    test('an expired token says so as long as its key is known', async () => {
      await using database = await open({ migrations })
      const clock = handClock()
      const person = await makePerson(database.db, clock.at)
      const { ownTokens, verifier } = await startProcess(database.db, clock)
      const { token } = await ownTokens.mint({ ...person, scopes: [], ttlSeconds: 1 })
      clock.at += hourMs
      await assert.rejects(verified(verifier, token), expired)
    })

    test('a process that was not told of a new key finds it by the token, asking rarely', async () => {
      await using database = await open({ migrations })
      const clock = handClock()
      const person = await makePerson(database.db, clock.at)
      const { db, asked } = counting(database.db)
      const sleepy = await startProcess(db, clock)
      clock.at += 31 * dayMs
      const other = await startProcess(database.db, clock)
      clock.at += 2 * hourMs
      await other.keyRing.rotateIfDue()
      const { token } = await other.ownTokens.mint({ ...person, scopes: [], ttlSeconds: 900 })
      await verified(sleepy.verifier, token)
      const { reads } = asked
      const [header, ...rest] = token.split('.')
      for (let i = 0; i < 20; i++) {
        const made = { ...decodeProtectedHeader(`${header}.e30.`), kid: `made-up-${i}` }
        const forged = [Buffer.from(JSON.stringify(made)).toString('base64url'), ...rest].join('.')
        await assert.rejects(verified(sleepy.verifier, forged), invalid)
      }
      assert.equal(asked.reads, reads)
    })

    test('the private key is not readable in the database, nor with another secret', async () => {
      await using database = await open({ migrations })
      const clock = handClock()
      await openKeyRing({ db: database.db, box, clock })
      const [row] = await database.db.query<{ private_jwk: Uint8Array }>(
        'select private_jwk from signing_keys',
      )
      assert.ok(row)
      assert.equal(Buffer.from(row.private_jwk).includes('"d"'), false)
      const stranger = createSecretBox(randomBytes(32))
      await assert.rejects(openKeyRing({ db: database.db, box: stranger, clock }))
    })
  })
}
