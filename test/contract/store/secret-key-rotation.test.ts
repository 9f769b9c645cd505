import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { openKeyRing } from '#auth/key-ring.ts'
import { uuidV7 } from '#core/ids.ts'
import type { Db } from '#store/db.ts'
import { countOldSecrets, sealedTables } from '#store/sealed-columns.ts'
import { createSecretBox } from '#store/secret-box.ts'
import { settleSecretKey } from '#store/settle-secret-key.ts'
import { insertCredential, openCredential } from '#store/tables/credentials.ts'
import { ensureWebhookSecret, rotateWebhookSecret } from '#store/tables/webhook-secrets.ts'
import { databases } from '../../support/databases.ts'
import { handClock, makePerson, migrations } from '../auth/setting.ts'

const [oldKey, newKey, thirdKey] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const [before, between, after] = [
  createSecretBox(oldKey),
  createSecretBox(newKey, oldKey),
  createSecretBox(newKey),
]
const clock = handClock()
const nowMs = clock.at
const token = 'a secret of some length'
const settled = { state: 'settled' }

/** Accounts with secrets of every table, sealed with the old key. */
async function fill(db: Db, accounts: number): Promise<string[]> {
  await settleSecretKey(db, before)
  await openKeyRing({ db, box: before, clock })
  const ids: string[] = []
  for (let i = 0; i < accounts; i++) {
    const { accountId, userId } = await makePerson(db, nowMs)
    ids.push(accountId)
    const makeSecret = () => Buffer.from(`webhook ${accountId}`)
    await ensureWebhookSecret(db, before, accountId, { makeSecret, nowMs })
    const credential = { accountId, id: uuidV7(nowMs), name: 'crm', hosts: [], nowMs }
    const secret = { kind: 'bearer', token } as const
    await db.transaction((tx) =>
      insertCredential(tx, before, { ...credential, secret }, { most: 5 }),
    )
    const at = { table: 'second_factors', row: userId }
    await db.write(
      'insert into second_factors (user_id, secret, created_at, last_step) values ($1, $2, $3, 0)',
      [userId, before.seal(at, Buffer.from('totp')), nowMs],
    )
  }
  return ids
}

async function assertReadable(db: Db, box: typeof after, accountIds: readonly string[]) {
  await openKeyRing({ db, box, clock })
  for (const accountId of accountIds) {
    const makeSecret = () => assert.fail('it has one')
    const { current } = await ensureWebhookSecret(db, box, accountId, { makeSecret, nowMs })
    assert.equal(Buffer.from(current).toString(), `webhook ${accountId}`)
    const credential = await openCredential(db, box, accountId, { name: 'crm' })
    assert.deepEqual(credential?.opened, { kind: 'bearer', token })
  }
  assert.equal(await countOldSecrets(db, box), 0)
}

for (const { name, open } of databases) {
  describe(`replacing the secret key on ${name}`, () => {
    test('every column of bytes is among those that are sealed again', async () => {
      await using database = await open({ migrations })
      const columns = await bytesColumns(database.db)
      const declared = sealedTables.flatMap(({ table, columns }) =>
        columns.map((column) => `${table}.${column}`),
      )
      assert.deepEqual(columns.sort(), declared.sort())
    })

    test('a process with another secret key refuses to start and says why', async () => {
      await using database = await open({ migrations })
      const { db } = database
      await Promise.all([settleSecretKey(db, before), settleSecretKey(db, before)])
      assert.deepEqual(await settleSecretKey(db, before), settled)
      await assert.rejects(settleSecretKey(db, after), /SECRET_KEY .* original key/)
      const neither = createSecretBox(newKey, thirdKey)
      await assert.rejects(settleSecretKey(db, neither), /Neither SECRET_KEY nor SECRET_KEY_OLD/)
      assert.deepEqual(await settleSecretKey(db, before), settled)
    })

    test('everything is sealed again, in several batches, and the old key can go', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountIds = await fill(db, 120)
      const outcome = await settleSecretKey(db, between)
      assert.deepEqual(outcome, { state: 'replaced', resealed: 3 * 120 + 1, isFirst: true })
      await assertReadable(db, after, accountIds)
      await assert.rejects(openCredential(db, before, accountIds[0] ?? '', { name: 'crm' }))
      const again = await settleSecretKey(db, between)
      assert.deepEqual(again, { state: 'replaced', resealed: 0, isFirst: false })
      await assert.rejects(settleSecretKey(db, before), /original key/)
      assert.deepEqual(await settleSecretKey(db, after), settled)
      // What is not needed any more does no harm either.
      assert.deepEqual(await settleSecretKey(db, between), settled)
    })

    test('one that was interrupted is resumed; the new key alone is not enough until then', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountIds = await fill(db, 3)
      await assert.rejects(settleSecretKey(failingAfter(db, 2), between), /power cut/)
      assert.ok((await countOldSecrets(db, after)) > 0)
      await assert.rejects(settleSecretKey(db, after), /not complete: \d+ stored secrets/)
      const wrong = createSecretBox(newKey, thirdKey)
      await assert.rejects(settleSecretKey(db, wrong), /SECRET_KEY_OLD is not the key/)
      const outcome = await settleSecretKey(db, between)
      assert.equal(outcome.state === 'replaced' && outcome.isFirst, false)
      await assertReadable(db, after, accountIds)
      assert.deepEqual(await settleSecretKey(db, after), settled)
    })

    test('a process with the keys the other way round does not turn it back', async () => {
      await using database = await open({ migrations })
      const { db } = database
      await fill(db, 1)
      const reversed = createSecretBox(oldKey, newKey)
      // Before the change it may start like this, and reads what others seal with the new key.
      assert.deepEqual(await settleSecretKey(db, reversed), settled)
      await settleSecretKey(db, between)
      await assert.rejects(
        settleSecretKey(db, reversed),
        /SECRET_KEY and SECRET_KEY_OLD are swapped/,
      )
      assert.equal(await countOldSecrets(db, after), 0)
    })

    test('several processes that start together, and a change under way, lose nothing', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const accountIds = await fill(db, 30)
      const [changed = '', ...others] = accountIds
      const rotated = () =>
        rotateWebhookSecret(db, between, changed, {
          secret: Buffer.from('the changed one'),
          previousUntilMs: nowMs + 1,
          nowMs,
        })
      const outcomes = await Promise.all([
        settleSecretKey(db, between),
        settleSecretKey(db, between),
        settleSecretKey(db, between),
        rotated(),
      ])
      const first = outcomes.filter((one) => 'isFirst' in one && one.isFirst)
      assert.equal(first.length, 1)
      await assertReadable(db, after, others)
      const makeSecret = () => assert.fail('it has one')
      const { current } = await ensureWebhookSecret(db, after, changed, { makeSecret, nowMs })
      assert.equal(Buffer.from(current).toString(), 'the changed one')
    })
  })
}

test('what was signed with the old key is accepted as long as that key is given', () => {
  const at = { table: 'cursor', row: 'account' }
  const signature = before.sign(at, 'position')
  assert.equal(between.isSigned(at, 'position', signature), true)
  assert.equal(between.isSigned(at, 'another', signature), false)
  assert.equal(between.isSigned(at, 'position', signature.subarray(1)), false)
  assert.equal(after.isSigned(at, 'position', signature), false)
})

/** Lets so many transactions through, then fails as a process does that is killed. */
function failingAfter(db: Db, allowed: number): Db {
  let left = allowed
  return {
    ...db,
    transaction: (work, options) =>
      left-- > 0 ? db.transaction(work, options) : Promise.reject(new Error('power cut')),
  }
}

async function bytesColumns(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    db.kind === 'postgres'
      ? `select table_name || '.' || column_name as name from information_schema.columns
         where table_schema = 'public' and data_type = 'bytea'`
      : `select m.name || '.' || c.name as name from sqlite_master m, pragma_table_info(m.name) c
         where m.type = 'table' and lower(c.type) in ('blob', 'bytea')`,
  )
  return rows.map((row) => row.name)
}
