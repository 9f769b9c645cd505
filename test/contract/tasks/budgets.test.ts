import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type BudgetLine, type BudgetName, budgetKey } from '#core/budgets.ts'
import { systemClock } from '#core/clock.ts'
import type { Spender } from '#core/generation.ts'
import { uuidV7 } from '#core/ids.ts'
import { createAttemptLedger } from '#engine/calls/attempt-ledger.ts'
import { createSpendQueue } from '#engine/calls/spend-queue.ts'
import type { Db } from '#store/db.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import { insertAccount, storeSpending } from '#store/tables/accounts.ts'
import { passedSince } from '#store/tables/budget-alerts.ts'
import { scopeUse } from '#store/tables/spend-uses.ts'
import { databases } from '../../support/databases.ts'
import { migrations, newAccount } from './setting.ts'

type Lines = [BudgetName, BudgetLine][]

const setBudgets = (db: Db, accountId: string, lines: Lines) =>
  db.transaction(async (tx) => {
    await storeSpending(tx, accountId, {
      budgets: Object.fromEntries(lines.map(([name, line]) => [budgetKey(name), line])),
    })
    tx.notify('spend')
  })

async function setting(db: Db, lines: Lines, serverLimitMicros: number | null = null) {
  const accountId = newAccount()
  await db.transaction((tx) => insertAccount(tx, { id: accountId, name: 'a', nowMs: 0 }))
  await setBudgets(db, accountId, lines)
  const store = ledgerIn(db, openChatIntents(db, systemClock), systemClock)
  const queue = createSpendQueue(store, systemClock, { serverLimitMicros })
  const leases = leasesIn(db)
  const holder = uuidV7(systemClock.nowMs())
  await leases.begin(holder, 60_000, 'serve')
  const ledger = createAttemptLedger(store, systemClock, queue, { holder: () => holder })
  const open = async (name: string, neededMicros: number, more: Partial<Spender> = {}) => {
    const spender = {
      ...{ accountId, keyId: null, limits: {}, accountSpendPerMonthMicros: null },
      ...{ isBudgeted: true, ...more },
    }
    const attempt = {
      ...{ attempt: `${accountId}/${name}`, accountId, keyId: spender.keyId, taskId: null },
      ...{ runId: null, nodeId: null, operation: 'chat' as const, provider: 'double' },
      ...{ model: 'm', unitPrice: '{}', reservedMicros: neededMicros, tag: more.tag },
      createdAtMs: systemClock.nowMs(),
    }
    await ledger.open(attempt, { spender, neededMicros })
  }
  const settle = (name: string, costMicros: number) =>
    ledger.settle({
      attempt: `${accountId}/${name}`,
      ...{ outcome: 'SUCCEEDED' as const, units: {}, costMicros },
    })
  return { accountId, store, leases, holder, ledger, open, settle }
}

const account = (period: 'day' | 'month') => ({ scope: 'account', target: '', period }) as const
const tag = (target: string, period: 'day' | 'month' = 'day') =>
  ({ scope: 'tag', target, period }) as const

for (const { name, open: openDatabase } of databases) {
  describe(`budgets on ${name}`, () => {
    test('all have room for a call, or the one that has none is named', async () => {
      await using opened = await openDatabase({ migrations })
      const { open, settle, ledger } = await setting(opened.db, [
        [account('day'), { limitMicros: 1_000 }],
        [tag('a', 'month'), { limitMicros: 300 }],
      ])
      await open('1', 300, { tag: 'a' })
      await settle('1', 300)
      const refused = { code: 'SPEND_LIMIT_REACHED' }
      await assert.rejects(open('2', 1, { tag: 'a' }), (error: Error & { details?: object }) => {
        const { scope, target, period } = error.details as Record<string, unknown>
        assert.deepEqual({ scope, target, period }, { scope: 'tag', target: 'a', period: 'month' })
        return true
      })
      await open('3', 700, { tag: 'b' })
      await settle('3', 700)
      await assert.rejects(open('4', 1), { ...refused, message: /your account .* this day/ })
      await ledger.close()
    })

    test('a raise lets a waiting call start, no further than the limit of the server', async () => {
      await using opened = await openDatabase({ migrations })
      const day = account('day')
      const { accountId, open, ledger } = await setting(
        opened.db,
        [[day, { limitMicros: 100 }]],
        2_000,
      )
      await open('1', 100)
      const waiting = open('2', 100)
      const raise = { amountMicros: 100, untilMs: systemClock.nowMs() + 60_000 }
      await setBudgets(opened.db, accountId, [[day, { limitMicros: 100, raise }]])
      await waiting
      const over = { amountMicros: 1_000_000, untilMs: systemClock.nowMs() - 1 }
      await setBudgets(opened.db, accountId, [
        [day, { limitMicros: 100, raise: over }],
        [account('month'), { raise: { ...over, untilMs: systemClock.nowMs() + 60_000 } }],
      ])
      await assert.rejects(open('3', 101), { code: 'SPEND_LIMIT_REACHED' })
      await setBudgets(opened.db, accountId, [
        [account('month'), { raise: { ...over, untilMs: systemClock.nowMs() + 60_000 } }],
      ])
      await assert.rejects(open('4', 2_001, { accountSpendPerMonthMicros: 1_000 }), {
        code: 'SPEND_LIMIT_REACHED',
      })
      await open('5', 1_500, { accountSpendPerMonthMicros: 1_000 })
      await ledger.close()
    })

    test('a reservation ends with the lease of its process, as a call nobody knows of', async () => {
      await using opened = await openDatabase({ migrations })
      const { accountId, leases, holder, open, settle, ledger } = await setting(opened.db, [
        [tag('a'), { limitMicros: 1_000 }],
      ])
      await open('lost', 600, { tag: 'a' })
      const waiting = open('next', 400, { tag: 'a' })
      await waiting
      await settle('next', 0)
      await leases.end(holder)
      const reaper = uuidV7(systemClock.nowMs())
      await leases.begin(reaper, 60_000)
      await leases.reap(reaper)
      const use = await scopeUse(opened.db, accountId, tag('a'), systemClock.nowMs())
      assert.deepEqual(use, { dayMicros: 600, monthMicros: 600, heldMicros: 0 })
      // It was alive after all: what it knows replaces the guess.
      await settle('lost', 50)
      const known = await scopeUse(opened.db, accountId, tag('a'), systemClock.nowMs())
      assert.equal(known.dayMicros, 50)
      await ledger.close()
    })

    test('is used up by calls of a fixed price at once, and not passed by one of them', async () => {
      await using opened = await openDatabase({ migrations })
      const { accountId, open, settle, ledger } = await setting(opened.db, [
        [tag('a'), { limitMicros: 1_000 }],
      ])
      const calls = Array.from({ length: 60 }, async (_, index) => {
        await open(String(index), 30, { tag: 'a' })
        await settle(String(index), 30)
      })
      const ends = await Promise.allSettled(calls)
      const made = ends.filter(({ status }) => status === 'fulfilled').length
      assert.equal(made, 33)
      for (const end of ends)
        if (end.status === 'rejected') assert.equal(end.reason.code, 'SPEND_LIMIT_REACHED')
      const use = await scopeUse(opened.db, accountId, tag('a'), systemClock.nowMs())
      assert.deepEqual(use, { dayMicros: 990, monthMicros: 990, heldMicros: 0 })
      await ledger.close()
    })

    test('each threshold is passed once, whoever looks', async () => {
      await using opened = await openDatabase({ migrations })
      const { accountId, store, open, settle, ledger } = await setting(opened.db, [
        [tag('a'), { limitMicros: 1_000 }],
      ])
      const bound = { ...tag('a'), id: budgetKey(tag('a')), limitMicros: 1_000 }
      const look = () => store.recordPassed(accountId, [bound], systemClock.nowMs())
      await open('1', 790, { tag: 'a' })
      assert.deepEqual(await look(), { passed: [], isHeld: true })
      await settle('1', 790)
      const looks = await Promise.all([look(), look(), look()])
      assert.deepEqual(
        looks.flatMap(({ passed }) => passed.map(({ percent }) => percent)),
        [50],
      )
      await open('2', 210, { tag: 'a' })
      await settle('2', 210)
      const { passed } = await look()
      assert.deepEqual(
        passed.map(({ percent }) => percent),
        [80, 100],
      )
      assert.equal((await passedSince(opened.db, accountId, 0, 10)).length, 3)
      await ledger.close()
    })
  })
}
