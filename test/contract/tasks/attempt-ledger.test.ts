import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import type { Spender } from '#core/generation.ts'
import { createAttemptLedger, settleAbandonedChats } from '#engine/attempt-ledger.ts'
import type { Db } from '#store/db.ts'
import { type Attempt, committedMicros, dayOf, spendDays } from '#store/ledger.ts'
import { databases } from '../../support/databases.ts'
import { migrations, newAccount } from './setting.ts'

const hourMs = 3_600_000
const free = (accountId: string): Spender => ({
  accountId,
  keyId: null,
  limits: {},
  accountSpendPerMonthMicros: null,
})
const limited = (accountId: string): Spender => ({
  ...free(accountId),
  accountSpendPerMonthMicros: 1_000_000,
})

const chat = (accountId: string, name: string, change: Partial<Attempt> = {}): Attempt => ({
  attempt: `${accountId}/${name}`,
  accountId,
  keyId: null,
  taskId: null,
  runId: null,
  nodeId: null,
  operation: 'chat',
  provider: 'double',
  model: 'm',
  unitPrice: '{"inputPerMillionTokens":1}',
  reservedMicros: 100,
  createdAtMs: systemClock.nowMs(),
  ...change,
})

const answered = (accountId: string, name: string) => ({
  attempt: `${accountId}/${name}`,
  outcome: 'SUCCEEDED' as const,
  units: { inputTokens: 3, outputTokens: 1 },
  costMicros: 40,
})

/** Name, outcome and cost of an account's attempts, as the ledger has them. */
async function rows(db: Db, accountId: string) {
  const found = await db.query<{ attempt: string; outcome: string; cost_micros: number | null }>(
    'select attempt, outcome, cost_micros from ledger where account_id = $1 order by attempt',
    [accountId],
  )
  return found.map((row) => [row.attempt.split('/')[1], row.outcome, row.cost_micros])
}

async function spent(db: Db, accountId: string) {
  const today = dayOf(systemClock.nowMs())
  const [day] = await spendDays(db, accountId, today, today)
  return [day?.calls, day?.cost_micros]
}

const intents = async (db: Db) => (await db.query('select batch from chat_intents')).length

for (const { name, open } of databases) {
  describe(`attempts on ${name}`, () => {
    test('of one moment leave nothing behind but their ledger rows', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const ledger = createAttemptLedger(db, systemClock)
      const options = { spender: free(account), neededMicros: 100 }
      const names = ['a', 'b', 'c', 'd']
      await Promise.all(names.map((name) => ledger.open(chat(account, name), options)))
      assert.equal(await intents(db), 1, 'stored before the call')
      await ledger.settle(answered(account, 'b'))
      assert.equal(await intents(db), 1, 'three are still under way')
      await Promise.all(['a', 'c', 'd'].map((name) => ledger.settle(answered(account, name))))
      assert.deepEqual(
        await rows(db, account),
        names.map((name) => [name, 'SUCCEEDED', 40]),
      )
      assert.deepEqual(await spent(db, account), [4, 160])
      assert.equal(await intents(db), 0)
    })

    test('that died with their process count as spent, once, and those answered as answered', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const dying = createAttemptLedger(db, systemClock)
      const options = { spender: free(account), neededMicros: 100 }
      const created = { createdAtMs: systemClock.nowMs() - hourMs }
      await Promise.all(
        ['answered', 'lost'].map((name) => dying.open(chat(account, name, created), options)),
      )
      await dying.settle(answered(account, 'answered'))
      const younger = createAttemptLedger(db, systemClock)
      await younger.open(chat(account, 'young'), options)
      for (let sweep = 0; sweep < 2; sweep++) {
        await settleAbandonedChats(db, systemClock.nowMs(), 60_000)
      }
      assert.deepEqual(await rows(db, account), [
        ['answered', 'SUCCEEDED', 40],
        ['lost', 'UNKNOWN', 100],
      ])
      assert.deepEqual(await spent(db, account), [2, 140])
      assert.equal(await intents(db), 1, 'the young one is not given up')
    })

    test('settled by another while their process stood still keep what the other wrote', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const paused = createAttemptLedger(db, systemClock)
      const options = { spender: free(account), neededMicros: 100 }
      const old = { createdAtMs: systemClock.nowMs() - hourMs }
      await paused.open(chat(account, 'late', old), options)
      await settleAbandonedChats(db, systemClock.nowMs(), 60_000)
      await paused.open(chat(account, 'next'), options)
      await Promise.all([
        paused.settle(answered(account, 'late')),
        paused.settle(answered(account, 'next')),
      ])
      assert.deepEqual(await rows(db, account), [
        ['late', 'UNKNOWN', 100],
        ['next', 'SUCCEEDED', 40],
      ])
      assert.deepEqual(await spent(db, account), [2, 140])
    })

    test('under a spend limit are held back while they are under way', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const ledger = createAttemptLedger(db, systemClock)
      const fromDay = `${dayOf(systemClock.nowMs()).slice(0, 7)}-01`
      const committed = () => committedMicros(db, account, { keyId: null, fromDay })
      await ledger.open(chat(account, 'a'), { spender: limited(account), neededMicros: 100 })
      assert.equal(await committed(), 100)
      await ledger.settle(answered(account, 'a'))
      assert.equal(await committed(), 40)
      assert.deepEqual(await rows(db, account), [['a', 'SUCCEEDED', 40]])
    })
  })
}
