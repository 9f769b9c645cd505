import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { readAccount, updateAccountSettings } from '#store/tables/accounts.ts'
import { insertApiKeyWithin, listApiKeys, revokeApiKey } from '#store/tables/api-keys.ts'
import { deleteOtherSessions, insertSession, readSession } from '#store/tables/sessions.ts'
import { readUserStanding } from '#store/tables/users.ts'
import { ensureWebhookSecret, rotateWebhookSecret } from '#store/tables/webhook-secrets.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { box, makeKey, makePerson, migrations, newKey } from '../auth/setting.ts'

const nowMs = Date.UTC(2030, 0, 1)

for (const { name, open } of databases) {
  describe(`two accounts on ${name}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await open({ migrations })
    })
    after(() => database.close())

    const twoPeople = async () => {
      const { db } = database
      return { db, mine: await makePerson(db, nowMs), theirs: await makePerson(db, nowMs) }
    }

    test('do not see each other’s keys', async () => {
      const { db, mine, theirs } = await twoPeople()
      const { keyId } = await makeKey(db, theirs, { nowMs })
      assert.deepEqual(await listApiKeys(db, mine.accountId, nowMs), [])
      assert.deepEqual(
        (await listApiKeys(db, theirs.accountId, nowMs)).map(({ id }) => id),
        [keyId],
      )
    })

    test('cannot revoke each other’s keys', async () => {
      const { db, mine, theirs } = await twoPeople()
      const { keyId } = await makeKey(db, theirs, { nowMs })
      assert.equal(await revokeApiKey(db, mine.accountId, keyId, nowMs), null)
      assert.equal((await listApiKeys(db, theirs.accountId, nowMs))[0]?.revokedAtMs, null)
    })

    test('do not use up each other’s room for keys', async () => {
      const { db, mine, theirs } = await twoPeople()
      await makeKey(db, theirs, { nowMs })
      const key = newKey(mine, { nowMs })
      assert.equal(await insertApiKeyWithin(db, key, { maxLive: 1 }), true)
    })

    test('have their own webhook secret, and rotate their own', async () => {
      const { db, mine, theirs } = await twoPeople()
      const makeSecret = () => randomBytes(32)
      const secretOf = (accountId: string) =>
        ensureWebhookSecret(db, box, accountId, { makeSecret, nowMs })
      const before = await secretOf(theirs.accountId)
      assert.notDeepEqual((await secretOf(mine.accountId)).current, before.current)
      await rotateWebhookSecret(db, box, mine.accountId, {
        secret: makeSecret(),
        previousUntilMs: nowMs + 1,
        nowMs,
      })
      assert.deepEqual(await secretOf(theirs.accountId), before)
    })

    test('change only their own settings', async () => {
      const { db, mine, theirs } = await twoPeople()
      const before = await readAccount(db, theirs.accountId)
      await updateAccountSettings(db, mine.accountId, { name: 'Mine', spendLimitMicros: 5 })
      assert.deepEqual(await readAccount(db, theirs.accountId), before)
      assert.equal((await readAccount(db, mine.accountId))?.name, 'Mine')
    })

    test('keep their sessions when the other ends all of theirs', async () => {
      const { db, mine, theirs } = await twoPeople()
      const tokens = {
        mine: randomBytes(8).toString('hex'),
        theirs: randomBytes(8).toString('hex'),
      }
      const nowhere = { ipAddress: null, userAgent: null }
      await insertSession(db, { ...nowhere, tokenHash: tokens.mine, userId: mine.userId, nowMs })
      await insertSession(db, {
        ...nowhere,
        tokenHash: tokens.theirs,
        userId: theirs.userId,
        nowMs,
      })
      await deleteOtherSessions(db, mine.userId, 'none')
      assert.equal(await readSession(db, tokens.mine), null)
      assert.equal((await readSession(db, tokens.theirs))?.accountId, theirs.accountId)
    })

    test('do not lend their users to each other', async () => {
      const { db, mine, theirs } = await twoPeople()
      assert.equal(await readUserStanding(db, mine.userId, theirs.accountId), null)
      const standing = await readUserStanding(db, mine.userId, mine.accountId)
      assert.equal(standing?.account.accountId, mine.accountId)
    })
  })
}
