import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { UniqueViolation } from '#store/db.ts'
import { insertApiKeyWithin, listApiKeys } from '#store/tables/api-keys.ts'
import { claimFact, readFact } from '#store/tables/server-facts.ts'
import { insertSetupLink, useSetupLink } from '#store/tables/setup-links.ts'
import { completeUser, findUserByEmail, readUser, replacePassword } from '#store/tables/users.ts'
import { ensureWebhookSecret, rotateWebhookSecret } from '#store/tables/webhook-secrets.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { box, makePerson, migrations, newKey } from '../auth/setting.ts'

const nowMs = Date.UTC(2030, 0, 1)
const hourMs = 3_600_000
const unique = () => randomBytes(8).toString('hex')
const together = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

for (const { name, open } of databases) {
  describe(`what is decided once on ${name}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await open({ migrations })
    })
    after(() => database.close())

    test('a fact has one author, and everybody reads the same', async () => {
      const { db } = database
      const fact = unique()
      const won = await together(10, (index) => claimFact(db, fact, `author ${index}`))
      assert.equal(won.filter(Boolean).length, 1)
      assert.equal(await readFact(db, fact), `author ${won.indexOf(true)}`)
    })

    test('no account gets more live keys than allowed, however many ask at once', async () => {
      const { db } = database
      const person = await makePerson(db, nowMs)
      const insert = () => insertApiKeyWithin(db, newKey(person, { nowMs }), { maxLive: 5 })
      const outcomes = await together(12, () => insert())
      assert.equal(outcomes.filter(Boolean).length, 5)
      assert.equal((await listApiKeys(db, person.accountId, nowMs)).length, 5)
    })

    test('revoked and expired keys leave room for new ones', async () => {
      const { db } = database
      const person = await makePerson(db, nowMs)
      const insert = (at: number, expiresAtMs: number | null) =>
        insertApiKeyWithin(db, newKey(person, { nowMs: at, expiresAtMs }), { maxLive: 1 })
      assert.equal(await insert(nowMs, nowMs + hourMs), true)
      assert.equal(await insert(nowMs, null), false)
      assert.equal(await insert(nowMs + hourMs, null), true)
    })

    test('a set-up link is used once, however many try', async () => {
      const { db } = database
      const { userId } = await makePerson(db, nowMs)
      const link = { tokenHash: unique(), userId, expiresAtMs: nowMs + hourMs, nowMs }
      await db.transaction((tx) => insertSetupLink(tx, link))
      const used = await together(6, () => useSetupLink(db, link.tokenHash, nowMs))
      assert.deepEqual(
        used.filter((user) => user !== null),
        [userId],
      )
      assert.equal(await useSetupLink(db, link.tokenHash, nowMs), null)
    })

    test('a user is completed by one of several who try', async () => {
      const { db } = database
      const { userId } = await makePerson(db, nowMs)
      const outcomes = await together(6, (index) =>
        db.transaction((tx) =>
          completeUser(tx, userId, {
            email: `${unique()}@example.com`,
            passwordHash: `hash ${index}`,
            oidc: null,
          }),
        ),
      )
      const [winner] = outcomes.filter((user) => user !== null)
      assert.equal(outcomes.filter((user) => user !== null).length, 1)
      assert.deepEqual(await readUser(db, userId), winner)
    })

    test('an e-mail belongs to one user', async () => {
      const { db } = database
      const [one, two] = [await makePerson(db, nowMs), await makePerson(db, nowMs)]
      const means = { email: `${unique()}@example.com`, passwordHash: 'x', oidc: null }
      await db.transaction((tx) => completeUser(tx, one.userId, means))
      await assert.rejects(
        db.transaction((tx) => completeUser(tx, two.userId, means)),
        (error) => error instanceof UniqueViolation && error.constraint.includes('email'),
      )
      assert.equal((await findUserByEmail(db, means.email))?.id, one.userId)
    })

    test('a password is replaced only by someone who knew the current one', async () => {
      const { db } = database
      const { userId } = await makePerson(db, nowMs)
      await db.transaction((tx) =>
        completeUser(tx, userId, { email: null, passwordHash: 'old', oidc: null }),
      )
      const outcomes = await together(4, (index) =>
        db.transaction((tx) => replacePassword(tx, userId, { from: 'old', to: `new ${index}` })),
      )
      assert.equal(outcomes.filter(Boolean).length, 1)
      assert.equal((await readUser(db, userId))?.passwordHash, `new ${outcomes.indexOf(true)}`)
    })

    test('the first webhook secret is the same for all who ask at once', async () => {
      const { db } = database
      const { accountId } = await makePerson(db, nowMs)
      const secrets = await together(8, () =>
        ensureWebhookSecret(db, box, accountId, { makeSecret: () => randomBytes(32), nowMs }),
      )
      assert.equal(new Set(secrets.map(({ current }) => current.toString())).size, 1)
    })

    test('after a rotation the previous secret is valid for its time and then gone', async () => {
      const { db } = database
      const { accountId } = await makePerson(db, nowMs)
      const read = (at: number) =>
        ensureWebhookSecret(db, box, accountId, { makeSecret: () => randomBytes(32), nowMs: at })
      const first = await read(nowMs)
      assert.equal(first.previous, null)
      const rotated = await rotateWebhookSecret(db, box, accountId, {
        secret: randomBytes(32),
        previousUntilMs: nowMs + 24 * hourMs,
        nowMs,
      })
      assert.deepEqual(rotated.previous?.secret, first.current)
      assert.deepEqual(await read(nowMs + 24 * hourMs - 1), rotated)
      assert.equal((await read(nowMs + 24 * hourMs)).previous, null)
      assert.deepEqual((await read(nowMs + 24 * hourMs)).current, rotated.current)
    })

    test('a webhook secret copied into another account’s row does not open', async () => {
      const { db } = database
      const [mine, theirs] = [await makePerson(db, nowMs), await makePerson(db, nowMs)]
      const read = (accountId: string) =>
        ensureWebhookSecret(db, box, accountId, { makeSecret: () => randomBytes(32), nowMs })
      await read(mine.accountId)
      await read(theirs.accountId)
      await db.write(
        `update webhook_secrets set secret =
           (select secret from webhook_secrets where account_id = $1) where account_id = $2`,
        [theirs.accountId, mine.accountId],
      )
      await assert.rejects(read(mine.accountId))
    })
  })
}
