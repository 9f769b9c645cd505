import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spenderNow } from '#auth/spender-now.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { databases } from '../../support/databases.ts'
import { migrations, newAccount } from '../runs/setting.ts'

for (const { name, open } of databases) {
  test(`${name}: a run that wakes spends under the limits of that moment`, async () => {
    await using database = await open({ migrations })
    const { db } = database
    const id = newAccount()
    await db.transaction((tx) => insertAccount(tx, { id, name: 'a', nowMs: 1 }))
    const before = { keyId: null, limits: {}, accountSpendPerMonthMicros: null }
    const now = (spendLimitMicros: number | null) =>
      spenderNow({ db, spendLimitMicros }, id, before)
    assert.deepEqual(await now(null), before)
    await db.write('update accounts set spend_limit_micros = 7')
    assert.equal((await now(null)).accountSpendPerMonthMicros, 7)
    assert.equal((await now(5)).accountSpendPerMonthMicros, 5)
    // The key that started it is gone: it keeps the limits that it had.
    const ofKey = { ...before, keyId: newAccount(), limits: { spendPerMonthMicros: 3 } }
    const kept = await spenderNow({ db, spendLimitMicros: null }, id, ofKey)
    assert.deepEqual([kept.keyId, kept.limits], [ofKey.keyId, ofKey.limits])
  })
}
