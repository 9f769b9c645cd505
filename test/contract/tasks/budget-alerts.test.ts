// Alerts of budgets around the end of a day and a month (UTC).
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type BudgetName, budgetKey } from '#core/budgets.ts'
import { toRfc3339 } from '#core/clock.ts'
import type { Spender } from '#core/generation.ts'
import { createAttemptLedger } from '#engine/calls/attempt-ledger.ts'
import { createBudgetAlerts } from '#engine/calls/budget-alerts.ts'
import { createSpendQueue } from '#engine/calls/spend-queue.ts'
import type { Db } from '#store/db.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import { insertAccount, storeSpending } from '#store/tables/accounts.ts'
import { passedSince } from '#store/tables/budget-alerts.ts'
import { databases } from '../../support/databases.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { migrations, newAccount } from './setting.ts'

const dayMs = 86_400_000
/** The end of January 1970. */
const monthEndMs = 31 * dayMs
const limitMicros = 1_000

const name = (scope: 'account' | 'tag', period: 'day' | 'month'): BudgetName => ({
  ...{ scope, period, target: scope === 'tag' ? 'a' : '' },
})
const budgets = [
  name('account', 'day'),
  name('account', 'month'),
  name('tag', 'day'),
  name('tag', 'month'),
]

/** An account with four equal budgets, and a clock that begins at `startMs`. */
async function setting(db: Db, startMs: number) {
  const { clock, pass } = createHandClock()
  await pass(startMs)
  const accountId = newAccount()
  await db.transaction(async (tx) => {
    await insertAccount(tx, { id: accountId, name: 'a', nowMs: 0 })
    await storeSpending(tx, accountId, {
      budgets: Object.fromEntries(budgets.map((one) => [budgetKey(one), { limitMicros }])),
    })
  })
  const store = ledgerIn(db, openChatIntents(db, clock), clock)
  const onError = (error: unknown) => assert.fail(String(error))
  const alerts = createBudgetAlerts({ ledger: store, clock, onPassed() {}, onError })
  const queue = createSpendQueue(store, clock, { onSpending: alerts.watch })
  const ledger = createAttemptLedger(store, clock, queue)
  const spender: Spender = {
    ...{ accountId, keyId: null, limits: {}, accountSpendPerMonthMicros: null },
    ...{ isBudgeted: true, tag: 'a' },
  }
  const begin = (id: string, micros: number) =>
    ledger.open(
      {
        ...{ attempt: `${accountId}/${id}`, accountId, keyId: null, taskId: null, runId: null },
        ...{ nodeId: null, operation: 'chat', provider: 'double', model: 'm', unitPrice: '{}' },
        ...{ reservedMicros: micros, tag: 'a', createdAtMs: clock.nowMs() },
      },
      { spender, neededMicros: micros },
    )
  const settle = (id: string, costMicros: number) =>
    ledger.settle({
      attempt: `${accountId}/${id}`,
      ...{ outcome: 'SUCCEEDED' as const, units: {}, costMicros },
    })
  return {
    pass,
    begin,
    settle,
    async spend(id: string, micros: number) {
      await begin(id, micros)
      await settle(id, micros)
    },
    /** When what was due has been looked at. */
    async told() {
      await alerts.close()
      await ledger.close()
      const passed = await passedSince(db, accountId, 0, 100)
      return passed
        .map(
          ({ scope, period, percent, atMs }) =>
            `${toRfc3339(atMs).slice(5, 10)} ${scope} ${period} ${percent}`,
        )
        .sort()
    },
  }
}

const ofEach = (day: string, periods: readonly string[], percents: readonly number[]) =>
  ['account', 'tag'].flatMap((scope) =>
    periods.flatMap((period) => percents.map((percent) => `${day} ${scope} ${period} ${percent}`)),
  )

for (const { name: database, open } of databases) {
  describe(`alerts on ${database}`, () => {
    test('tell of what was spent just before a day and a month ended, and not in the next', async () => {
      await using opened = await open({ migrations })
      const { pass, spend, told } = await setting(opened.db, monthEndMs - 500)
      await spend('last', 800)
      // The look comes in the next month, in which less was spent.
      await pass(600)
      await spend('first', 500)
      const ended = ofEach('01-31', ['day', 'month'], [50, 80])
      const begun = ofEach('02-01', ['day', 'month'], [50])
      assert.deepEqual(await told(), [...ended, ...begun].sort())
    })

    test('count the next day for the month alone', async () => {
      await using opened = await open({ migrations })
      const { pass, spend, told } = await setting(opened.db, dayMs - 500)
      await spend('last', 400)
      await pass(600)
      await spend('first', 400)
      assert.deepEqual(await told(), ofEach('01-02', ['month'], [50, 80]).sort())
    })

    test('tell of a call that began before the end of a day on the day that it is settled', async () => {
      await using opened = await open({ migrations })
      const { pass, begin, settle, told } = await setting(opened.db, monthEndMs - 500)
      await begin('long', 1_000)
      await pass(5_000)
      await settle('long', 1_000)
      assert.deepEqual(await told(), ofEach('02-01', ['day', 'month'], [100, 50, 80]).sort())
    })
  })
}
