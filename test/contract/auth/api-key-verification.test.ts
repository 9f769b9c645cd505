import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Verifier } from '#auth/verify.ts'
import type { Db } from '#store/db.ts'
import { setAccountDisabled, updateAccountSettings } from '#store/tables/accounts.ts'
import { listApiKeys, revokeApiKey } from '#store/tables/api-keys.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import {
  counting,
  expired,
  type HandClock,
  handClock,
  invalid,
  makeKey,
  makePerson,
  migrations,
  startProcess,
  verified,
} from './setting.ts'

const secondMs = 1_000
const minuteMs = 60_000

for (const { name, open } of databases) {
  describe(`API keys on ${name}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await open({ migrations })
    })
    after(() => database.close())

    async function setting(options: { spendLimitMicros?: number } = {}) {
      const clock = handClock()
      const { db, asked } = counting(database.db)
      const person = await makePerson(db, clock.at)
      const { verifier } = await startProcess(db, clock, options)
      asked.reads = 0
      asked.writes = 0
      return { clock, db, asked, person, verifier }
    }

    const lastUsedAt = async (db: Db, accountId: string) =>
      (await listApiKeys(db, accountId, 0))[0]?.lastUsedAtMs

    test('a key speaks for its account with its scopes and limits', async () => {
      const { clock, db, person, verifier } = await setting({ spendLimitMicros: 9_000_000 })
      const { key, keyId } = await makeKey(db, person, {
        nowMs: clock.at,
        scopes: ['runs:read', 'models:read'],
        limits: { chatPerMinute: 7 },
      })
      assert.deepEqual(await verified(verifier, key), {
        ...person,
        keyId,
        scopes: new Set(['runs:read', 'models:read']),
        role: 'owner',
        limits: { chatPerMinute: 7 },
        accountSpendPerMonthMicros: 9_000_000,
      })
    })

    test('the lower of the spend limits of operator and account holds', async () => {
      const { clock, db, person, verifier } = await setting({ spendLimitMicros: 9_000_000 })
      const { key } = await makeKey(db, person, { nowMs: clock.at })
      for (const [own, effective] of [
        [2_000_000, 2_000_000],
        [20_000_000, 9_000_000],
        [0, 0],
      ] as const) {
        await updateAccountSettings(db, person.accountId, { name: 'x', spendLimitMicros: own })
        verifier.forgetAccount(person.accountId)
        const { accountSpendPerMonthMicros } = await verified(verifier, key)
        assert.equal(accountSpendPerMonthMicros, effective)
      }
    })

    test('a key checked a moment ago costs no read, no write and no promise', async () => {
      const { clock, db, asked, person, verifier } = await setting()
      const { key } = await makeKey(db, person, { nowMs: clock.at })
      const first = await verified(verifier, key)
      const before = { ...asked }
      clock.at += 3 * secondMs
      const again = verifier.verify(`Bearer ${key}`)
      assert.equal(again, first)
      assert.deepEqual(asked, before)
    })

    test('requests that come together share one read', async () => {
      const { clock, db, asked, person, verifier } = await setting()
      const { key } = await makeKey(db, person, { nowMs: clock.at })
      await Promise.all(Array.from({ length: 20 }, () => verified(verifier, key)))
      assert.equal(asked.reads, 1)
    })

    test('a malformed key or a wrong checksum is refused without asking the database', async () => {
      const { clock, db, asked, person, verifier } = await setting()
      const { key } = await makeKey(db, person, { nowMs: clock.at })
      const last = key.endsWith('0') ? '1' : '0'
      for (const bad of ['sk_', 'sk_short', `${key.slice(0, -1)}${last}`, `${key} `, `${key}x`]) {
        await assert.rejects(verified(verifier, bad), invalid, bad)
      }
      assert.equal(asked.reads, 0)
    })

    test('an unknown key is refused, and repeating it costs one read in some seconds', async () => {
      const { clock, asked, verifier, db, person } = await setting()
      const elsewhere = await makeKey(db, person, { nowMs: clock.at })
      await db.write('delete from api_keys where id = $1', [elsewhere.keyId])
      for (let i = 0; i < 10; i++) await assert.rejects(verified(verifier, elsewhere.key), invalid)
      assert.equal(asked.reads, 1)
    })

    test('a revoked key stops at once in the process that revoked it', async () => {
      const { clock, db, person, verifier } = await setting()
      const { key, keyId } = await makeKey(db, person, { nowMs: clock.at })
      await verified(verifier, key)
      await revokeApiKey(db, person.accountId, keyId, clock.at)
      verifier.forgetKey(keyId)
      await assert.rejects(verified(verifier, key), invalid)
    })

    test('a revoked key stops within 5 s in every other process', async () => {
      const { clock, db, person, verifier } = await setting()
      const { verifier: elsewhere } = await startProcess(db, clock)
      const { key, keyId } = await makeKey(db, person, { nowMs: clock.at })
      await verified(elsewhere, key)
      await revokeApiKey(db, person.accountId, keyId, clock.at)
      verifier.forgetKey(keyId)
      clock.at += 5 * secondMs - 1
      await assert.rejects(verified(elsewhere, key), invalid)
    })

    test('steady use does not keep a revoked key alive', async () => {
      const { clock, db, person } = await setting()
      const { verifier: elsewhere } = await startProcess(db, clock)
      const { key, keyId } = await makeKey(db, person, { nowMs: clock.at })
      await verified(elsewhere, key)
      await revokeApiKey(db, person.accountId, keyId, clock.at)
      const revokedAtMs = clock.at
      let lastAcceptedMs = 0
      for (let i = 0; i < 100; i++) {
        clock.at += 100
        const isAccepted = await verified(elsewhere, key).then(
          () => true,
          () => false,
        )
        if (isAccepted) lastAcceptedMs = clock.at - revokedAtMs
      }
      assert.ok(lastAcceptedMs < 5 * secondMs, `accepted after ${lastAcceptedMs} ms`)
    })

    test('a read under way while its key is revoked is not remembered', async () => {
      const { clock, db, person } = await setting()
      const { key, keyId } = await makeKey(db, person, { nowMs: clock.at })
      const { verifier, answered, letThrough } = await startSlowly(db, clock)
      const early = verified(verifier, key)
      await answered
      await revokeApiKey(db, person.accountId, keyId, clock.at)
      verifier.forgetKey(keyId)
      letThrough()
      await early
      await assert.rejects(verified(verifier, key), invalid)
    })

    test('a request after the revocation does not share a read from before it', async () => {
      const { clock, db, person } = await setting()
      const { key, keyId } = await makeKey(db, person, { nowMs: clock.at })
      const { verifier, answered, letThrough } = await startSlowly(db, clock)
      const early = verified(verifier, key)
      await answered
      await revokeApiKey(db, person.accountId, keyId, clock.at)
      verifier.forgetKey(keyId)
      const late = verified(verifier, key)
      letThrough()
      await early
      await assert.rejects(late, invalid)
    })

    test('a disabled account answers 403 within 5 s, whatever its credential', async () => {
      const { clock, db, person, verifier } = await setting()
      const { ownTokens, verifier: elsewhere } = await startProcess(db, clock)
      const { key } = await makeKey(db, person, { nowMs: clock.at })
      const { token } = await ownTokens.mint({ ...person, scopes: [], ttlSeconds: 900 })
      const checkAll = (one: Verifier) => Promise.all([verified(one, key), verified(one, token)])
      await checkAll(elsewhere)
      await setAccountDisabled(db, person.accountId, clock.at)
      verifier.forgetAccount(person.accountId)
      const disabled = { code: 'ACCOUNT_DISABLED', status: 403, headers: {} }
      await assert.rejects(verified(verifier, key), disabled)
      clock.at += 5 * secondMs - 1
      await assert.rejects(verified(elsewhere, key), disabled)
      await assert.rejects(verified(elsewhere, token), disabled)
    })

    test('a key expires on the millisecond, also while it is remembered', async () => {
      const { clock, db, person, verifier } = await setting()
      const { key } = await makeKey(db, person, {
        nowMs: clock.at,
        expiresAtMs: clock.at + 2 * secondMs,
      })
      await verified(verifier, key)
      clock.at += 2 * secondMs - 1
      await verified(verifier, key)
      clock.at += 1
      await assert.rejects(verified(verifier, key), expired)
      clock.at += minuteMs
      await assert.rejects(verified(verifier, key), expired)
    })

    test('when a key was last used is written in a batch, at most once a minute', async () => {
      const { clock, db, asked, person, verifier } = await setting()
      const { key } = await makeKey(db, person, { nowMs: clock.at })
      const startMs = clock.at
      asked.writes = 0
      await verified(verifier, key)
      assert.equal(asked.writes, 0, 'nothing is written on the way')
      await verifier.flush()
      assert.equal(await lastUsedAt(db, person.accountId), startMs)
      for (let second = 1; second <= 59; second++) {
        clock.at = startMs + second * secondMs
        await verified(verifier, key)
        await verifier.flush()
      }
      assert.equal(asked.writes, 1)
      assert.equal(await lastUsedAt(db, person.accountId), startMs)
      clock.at = startMs + minuteMs
      await verifier.flush()
      assert.equal(asked.writes, 2)
      assert.equal(await lastUsedAt(db, person.accountId), startMs + 59 * secondMs)
    })

    test('the last use is written when the server stops, and never moves back', async () => {
      const { clock, db, person, verifier } = await setting()
      const { verifier: elsewhere } = await startProcess(db, clock)
      const { key } = await makeKey(db, person, { nowMs: clock.at })
      await verified(elsewhere, key)
      clock.at += secondMs
      const latestMs = clock.at
      await verified(verifier, key)
      await verifier.close()
      await elsewhere.close()
      assert.equal(await lastUsedAt(db, person.accountId), latestMs)
    })

    test('no credential asks for one', async () => {
      const { verifier, asked } = await setting()
      await assert.rejects(verified(verifier, undefined), {
        code: 'AUTH_REQUIRED',
        status: 401,
        headers: { 'www-authenticate': 'Bearer realm="ai-tools"' },
      })
      assert.equal(asked.reads, 0)
    })
  })
}

/** A process whose reads, once it runs, wait with their answer until they are let through. */
async function startSlowly(db: Db, clock: HandClock) {
  const answered = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let isSlow = false
  const slow: Db = {
    ...db,
    async query<Row>(sql: string, params?: Parameters<Db['query']>[1]) {
      const rows = await db.query<Row>(sql, params)
      if (isSlow) {
        answered.resolve()
        await gate.promise
      }
      return rows
    },
  }
  const { verifier } = await startProcess(slow, clock)
  isSlow = true
  return { verifier, answered: answered.promise, letThrough: gate.resolve }
}
