import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemClock } from '#core/clock.ts'
import type { Spender } from '#core/generation.ts'
import { createAttemptLedger } from '#engine/calls/attempt-ledger.ts'
import { createHalt } from '#engine/runs/run-halt.ts'
import { createRunMoney, type RunMoney } from '#engine/runs/run-money.ts'
import type { Db } from '#store/db.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import { dayOf } from '#store/tables/day-sums.ts'
import { databases } from '../../support/databases.ts'
import { spendUse } from '../../support/spend-use.ts'
import { migrations, newAccount } from './setting.ts'

type Ledger = ReturnType<typeof createAttemptLedger>

const anyPlan = fc.record({
  limits: fc.record({ account: fc.nat(600), key: fc.nat(400), run: fc.nat(300) }),
  calls: fc.array(
    fc.record({
      neededMicros: fc.nat(150),
      /** Of what is reserved; null if the provider refuses the call. */
      usedShare: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      isOfRun: fc.boolean(),
      keyNumber: fc.nat(1),
    }),
    { minLength: 12, maxLength: 16 },
  ),
  picks: fc.infiniteStream(fc.nat()),
})
type Plan = typeof anyPlan extends fc.Arbitrary<infer P> ? P : never
type Call = Plan['calls'][number]

for (const { name, open } of databases) {
  test(`limits of account, key and run hold at once, and let through what fits in the end, on ${name}`, async () => {
    await using opened = await open({ migrations })
    const { db } = opened
    const ledger = createAttemptLedger(
      ledgerIn(db, openChatIntents(db, systemClock), systemClock),
      systemClock,
    )
    await fc.assert(
      fc.asyncProperty(anyPlan, (plan) => carryOut(db, ledger, plan)),
      { numRuns: 4, endOnFailure: true },
    )
    await ledger.close()
  })
}

async function carryOut(db: Db, ledger: Ledger, { limits, calls, picks }: Plan): Promise<void> {
  const accountId = newAccount()
  const keys = [newAccount(), newAccount()]
  const money = createRunMoney(limits.run, createHalt())
  const keyOf = ({ keyNumber }: Call) => keys[keyNumber] ?? ''
  /** Counted here when a call ends, by account and key. */
  const spent = new Map<string, number>()
  const spentBy = (id: string) => spent.get(id) ?? 0
  const flying: { call: Call; attempt: string }[] = []
  let left = calls.length

  async function begin(call: Call, attempt: string): Promise<void> {
    const { neededMicros, isOfRun } = call
    if (isOfRun) await money.hold(neededMicros)
    try {
      await ledger.open(
        {
          ...{ attempt, accountId, keyId: keyOf(call), taskId: null, runId: null, nodeId: null },
          ...{ operation: 'chat', provider: 'double', model: 'm', unitPrice: '{}' },
          ...{ reservedMicros: neededMicros, createdAtMs: systemClock.nowMs() },
        },
        { spender: spenderOf(call), neededMicros },
      )
    } catch (error) {
      if (isOfRun) money.release(neededMicros)
      throw error
    }
  }

  const spenderOf = (call: Call): Spender => ({
    accountId,
    keyId: keyOf(call),
    limits: { spendPerMonthMicros: limits.key },
    accountSpendPerMonthMicros: limits.account,
  })

  const started = calls.map(async (call, i) => {
    const attempt = `${accountId}/${i}`
    try {
      await begin(call, attempt)
      flying.push({ call, attempt })
    } catch (error) {
      left--
      const { neededMicros, isOfRun } = call
      const isFull =
        spentBy(accountId) + neededMicros > limits.account ||
        spentBy(keyOf(call)) + neededMicros > limits.key ||
        (isOfRun && money.spentMicros + neededMicros > limits.run)
      assert.ok(isFull, `refused although it fits: ${error}`)
    }
  })

  async function end({ call, attempt }: (typeof flying)[number]): Promise<void> {
    const { neededMicros, usedShare, isOfRun } = call
    const costMicros = Math.floor(neededMicros * (usedShare ?? 0))
    for (const id of [accountId, keyOf(call)]) spent.set(id, spentBy(id) + costMicros)
    const outcome = usedShare === null ? 'REJECTED' : 'SUCCEEDED'
    await ledger.settle({ attempt, outcome, units: {}, costMicros })
    if (!isOfRun) return
    money.pay(costMicros)
    money.release(neededMicros)
  }

  while (left > 0) {
    await new Promise(setImmediate)
    const [ended] = flying.splice((picks.next().value ?? 0) % Math.max(1, flying.length), 1)
    if (!ended) continue
    await assertKept(db, { accountId, keys, money, limits })
    await end(ended)
    left--
  }
  await Promise.all(started)
}

async function assertKept(
  db: Db,
  by: { accountId: string; keys: string[]; money: RunMoney; limits: Plan['limits'] },
): Promise<void> {
  const { accountId, keys, money, limits } = by
  assert.ok(money.spentMicros + money.heldMicros <= limits.run, 'the limit of the run is passed')
  const fromDay = `${dayOf(systemClock.nowMs()).slice(0, 7)}-01`
  for (const keyId of [null, ...keys]) {
    const use = await spendUse(db, accountId, { keyId, fromDay })
    const limit = keyId === null ? limits.account : limits.key
    assert.ok(use.spentMicros + use.heldMicros <= limit, `${keyId ?? 'account'} passed its limit`)
  }
}
