import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import type { Spender } from '#core/generation.ts'
import { LeaseLost, TimeUp } from '#core/interruptions.ts'
import { Stop } from '#core/stop.ts'
import { createAttemptLedger } from '#engine/calls/attempt-ledger.ts'
import type { Db } from '#store/db.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { insertApiKey } from '#store/tables/api-keys.ts'
import { dayOf } from '#store/tables/day-sums.ts'
import { spendFreed } from '#store/tables/ledger.ts'
import { eventually } from '../../journeys/generation/setting.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { spendUse } from '../../support/spend-use.ts'
import { migrations, newAccount } from './setting.ts'

const limitMicros = 1_000

const openLedger = (db: Db) =>
  createAttemptLedger(ledgerIn(db, openChatIntents(db, systemClock), systemClock), systemClock)
type Ledger = ReturnType<typeof openLedger>

/** Another process, where the database allows one. */
const another = ({ db, location }: TestDatabase) => {
  const other = 'url' in location ? openPostgres({ url: location.url, poolSize: 4 }) : db
  return { ledger: openLedger(other), close: () => (other === db ? undefined : other.close()) }
}

const useOf = (db: Db, accountId: string, keyId: string | null = null) =>
  spendUse(db, accountId, { keyId, fromDay: `${dayOf(systemClock.nowMs()).slice(0, 7)}-01` })

function spending(ledger: Ledger, accountId: string, spender: Partial<Spender> = {}) {
  const order: string[] = []
  return {
    order,
    async open(
      name: string,
      neededMicros: number | null,
      options: Partial<Parameters<Ledger['open']>[1]> = {},
      more: Partial<Spender> = {},
    ) {
      const whole: Spender = {
        accountId,
        keyId: null,
        limits: {},
        accountSpendPerMonthMicros: limitMicros,
        ...spender,
        ...more,
      }
      const attempt = {
        ...{ attempt: `${accountId}/${name}`, accountId, keyId: whole.keyId, taskId: null },
        ...{ runId: null, nodeId: null, operation: 'chat' as const, provider: 'double' },
        ...{ model: 'm', unitPrice: '{}', reservedMicros: neededMicros ?? 0 },
        createdAtMs: systemClock.nowMs(),
      }
      await ledger.open(attempt, { spender: whole, neededMicros, ...options })
      order.push(name)
    },
    settle: (name: string, costMicros: number, by = ledger) =>
      by.settle({
        attempt: `${accountId}/${name}`,
        ...{ outcome: 'SUCCEEDED' as const, units: {}, costMicros },
      }),
  }
}

for (const { name, open } of databases) {
  describe(`calls under a spend limit on ${name}`, () => {
    test('wait for what is reserved, and are refused by what is spent', async () => {
      await using opened = await open({ migrations })
      const ledger = openLedger(opened.db)
      const account = newAccount()
      const calls = spending(ledger, account)
      await calls.open('first', 800)
      const second = calls.open('second', 900)
      const third = calls.open('third', 850)
      await calls.settle('first', 100)
      await second
      assert.deepEqual(calls.order, ['first', 'second'])
      assert.deepEqual(await useOf(opened.db, account), { spentMicros: 100, heldMicros: 900 })
      await calls.settle('second', 151)
      await assert.rejects(third, { code: 'SPEND_LIMIT_REACHED' })
      await calls.open('fourth', 749)
      await ledger.close()
    })

    test('wait until the limit of their account or key is raised', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const ledger = openLedger(db)
      const [account, keyId] = [newAccount(), newAccount()]
      await db.transaction(async (tx) => {
        await insertAccount(tx, { id: account, name: 'a', nowMs: 1 })
        await tx.write('update accounts set spend_limit_micros = 1000')
        await insertApiKey(tx, {
          ...{ id: keyId, accountId: account, userId: null, name: 'k', keyHash: 'h', display: 'd' },
          ...{ scopes: [], limits: { spendPerMonthMicros: 500 }, expiresAtMs: null, nowMs: 1 },
        })
      })
      const calls = spending(ledger, account)
      await calls.open('first', 800)
      const second = calls.open('second', 900)
      const withKey = { keyId, limits: { spendPerMonthMicros: 500 } }
      await db.transaction(async (tx) => {
        await tx.write('update accounts set spend_limit_micros = 3000')
        tx.notify(spendFreed)
      })
      await second
      await calls.open('third', 400, {}, withKey)
      const fourth = calls.open('fourth', 400, {}, withKey)
      await db.transaction(async (tx) => {
        await tx.write('update api_keys set limits = $1', ['{"spendPerMonthMicros":800}'])
        tx.notify(spendFreed)
      })
      await fourth
      assert.deepEqual(calls.order, ['first', 'second', 'third', 'fourth'])
      await ledger.close()
    })

    test('are woken by a settlement in another process', async () => {
      await using opened = await open({ migrations })
      const other = another(opened)
      const ledger = openLedger(opened.db)
      const account = newAccount()
      const there = spending(other.ledger, account)
      const here = spending(ledger, account)
      await there.open('there', 1_000)
      const waiting = here.open('here', 1_000)
      await there.settle('there', 0)
      await waiting
      await other.ledger.close()
      await other.close()
      await ledger.close()
    })

    test('start in the order they came: a large one is not starved by small ones', async () => {
      await using opened = await open({ migrations })
      const ledger = openLedger(opened.db)
      const [full, other] = [newAccount(), newAccount()]
      const limits = { spendPerMonthMicros: 1_000 }
      const calls = spending(ledger, newAccount(), { accountSpendPerMonthMicros: null, limits })
      const ofFull = { keyId: full }
      await calls.open('first', 600, {}, ofFull)
      const large = calls.open('large', 1_000, {}, ofFull)
      const small = calls.open('small', 10, {}, ofFull)
      // It came last, so both were looked at while the first one held its share.
      await calls.open('beside', 10, {}, { keyId: other })
      await calls.settle('first', 0)
      await large
      assert.deepEqual(calls.order, ['first', 'beside', 'large'])
      await calls.settle('large', 0)
      await small
      await ledger.close()
    })

    test('of one key and of another account do not wait for a full key', async () => {
      await using opened = await open({ migrations })
      const ledger = openLedger(opened.db)
      const account = newAccount()
      const [full, other] = [newAccount(), newAccount()]
      const limits = { spendPerMonthMicros: 500 }
      const calls = spending(ledger, account, { accountSpendPerMonthMicros: 10_000, limits })
      await calls.open('full', 500, {}, { keyId: full })
      const waiting = calls.open('waiting', 500, {}, { keyId: full })
      await calls.open('other', 500, {}, { keyId: other })
      await spending(ledger, newAccount()).open('elsewhere', 1_000)
      assert.deepEqual(calls.order, ['full', 'other'])
      await calls.settle('full', 0)
      await waiting
      await ledger.close()
    })

    test('that wait too long leave nothing behind, and let the next one through', async () => {
      await using opened = await open({ migrations })
      const ledger = openLedger(opened.db)
      const account = newAccount()
      const calls = spending(ledger, account)
      await calls.open('first', 600)
      const until = new Stop()
      const late = calls.open('late', 1_000, { wait: { until, isOfRun: false } })
      const next = calls.open('next', 400)
      until.abort(new TimeUp())
      await assert.rejects(late, { code: 'SERVICE_UNAVAILABLE', retryable: true })
      await calls.settle('first', 600)
      await next
      assert.deepEqual(await useOf(opened.db, account), { spentMicros: 600, heldMicros: 400 })
      await ledger.close()
    })

    test('whose time ends while they are being stored start, and hold nothing for ever', async () => {
      await using opened = await open({ migrations })
      const answer = Promise.withResolvers<void>()
      const transaction: Db['transaction'] = async (work, options) => {
        const value = await opened.db.transaction(work, options)
        await answer.promise
        return value
      }
      const ledger = openLedger({ ...opened.db, transaction })
      const account = newAccount()
      const calls = spending(ledger, account)
      const until = new Stop()
      const call = calls.open('late', 100, { wait: { until, isOfRun: false } })
      const use = () => useOf(opened.db, account)
      await eventually(use, ({ heldMicros }) => heldMicros === 100)
      until.abort(new TimeUp())
      answer.resolve()
      await call
      await calls.settle('late', 40)
      assert.deepEqual(await use(), { spentMicros: 40, heldMicros: 0 })
      await ledger.close()
    })

    test('harm nobody else if their worker has lost its lease', async () => {
      await using opened = await open({ migrations })
      const ledger = openLedger(opened.db)
      const account = newAccount()
      const calls = spending(ledger, account)
      const lost = calls.open('lost', 100, { workerId: newAccount() })
      const other = calls.open('other', 100)
      await assert.rejects(lost, LeaseLost)
      await other
      assert.deepEqual(await useOf(opened.db, account), { spentMicros: 0, heldMicros: 100 })
      await ledger.close()
    })

    test('that wait when the process stops are told so, and none is stored', async () => {
      await using opened = await open({ migrations })
      const ledger = openLedger(opened.db)
      const account = newAccount()
      const calls = spending(ledger, account)
      await calls.open('first', 1_000)
      const waiting = [calls.open('a', 1), calls.open('b', 1)]
      const ended = Promise.allSettled(waiting)
      await ledger.close()
      assert.deepEqual(
        (await ended).map((end) => end.status === 'rejected' && end.reason.code),
        ['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'],
      )
      assert.deepEqual(await useOf(opened.db, account), { spentMicros: 0, heldMicros: 1_000 })
    })
  })
}
