import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSpenderNow } from '#auth/spender-now.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { databases } from '../../support/databases.ts'
import { migrations, newAccount } from '../runs/setting.ts'

const before = { keyId: null, limits: {}, accountSpendPerMonthMicros: null }

for (const { name, open } of databases) {
  test(`${name}: the calls of a run count against the limits of the last few seconds`, async () => {
    await using database = await open({ migrations })
    const { db } = database
    const id = newAccount()
    await db.transaction((tx) => insertAccount(tx, { id, name: 'a', nowMs: 1 }))
    let nowMs = 0
    const clock = { nowMs: () => nowMs }
    const now = createSpenderNow({ db, clock, spendLimitMicros: null })
    assert.deepEqual(await now(id, before), before)
    await db.write('update accounts set spend_limit_micros = 7')
    nowMs += 3_999
    assert.deepEqual(await now(id, before), before, 'runs of one key share what was read')
    nowMs += 1
    assert.equal((await now(id, before)).accountSpendPerMonthMicros, 7)
    const ofServer = createSpenderNow({ db, clock, spendLimitMicros: 5 })
    assert.equal((await ofServer(id, before)).accountSpendPerMonthMicros, 5)
    // The key that started it is gone: it keeps the limits that it had.
    const ofKey = { ...before, keyId: newAccount(), limits: { spendPerMonthMicros: 3 }, tag: 't' }
    const kept = await now(id, ofKey)
    assert.deepEqual([kept.keyId, kept.limits, kept.tag], [ofKey.keyId, ofKey.limits, 't'])
  })
}

test('what could not be read is read again', async () => {
  let isAway = true
  const query = async () => {
    if (isAway) throw new Error('the database is away')
    return []
  }
  const clock = { nowMs: () => 0 }
  const now = createSpenderNow({ db: { query } as never, clock, spendLimitMicros: null })
  await assert.rejects(now('a', before))
  isAway = false
  assert.deepEqual(await now('a', before), before)
})
