import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import type { Spender } from '#core/generation.ts'
import { createAttemptLedger } from '#engine/calls/attempt-ledger.ts'
import { CommitUnknown, type Db, StoreUnavailable } from '#store/db.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import { dayOf } from '#store/tables/day-sums.ts'
import { type Attempt, spendDays } from '#store/tables/ledger.ts'
import { eventually } from '../../journeys/generation/setting.ts'
import { committedMicros } from '../../support/committed.ts'
import { databases } from '../../support/databases.ts'
import { chatLogs } from './chat-logs.ts'
import { migrations, newAccount } from './setting.ts'

const hourMs = 3_600_000

/** As if what is under way had been stored an hour ago. */
async function anHourPasses(db: Db) {
  await db.write('update chat_intents set created_at = created_at - $1', [hourMs])
  await db.write(`update ledger set stored_at = stored_at - $1 where outcome = 'PENDING'`, [hourMs])
}

const settleAbandoned = (db: Db) =>
  ledgerIn(db, openChatIntents(db, systemClock), systemClock).settleAbandoned(
    60_000,
    systemClock.nowMs(),
  )
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

for (const { name, open } of chatLogs) {
  describe(`attempts on ${name}`, () => {
    test('are stored before the call, and leave nothing behind but their ledger rows', async () => {
      await using logs = await open()
      const { db } = logs
      const account = newAccount()
      const chats = await logs.open()
      const ledger = createAttemptLedger(ledgerIn(db, chats, systemClock), systemClock)
      const options = { spender: free(account), neededMicros: 100 }
      const names = ['a', 'b', 'c', 'd']
      await Promise.all(names.map((name) => ledger.open(chat(account, name), options)))
      assert.ok((await logs.left()) > 0, 'stored before the call')
      await ledger.settle(answered(account, 'b'))
      assert.ok((await logs.left()) > 0, 'three are still under way')
      await Promise.all(['a', 'c', 'd'].map((name) => ledger.settle(answered(account, name))))
      await chats.flush(account)
      assert.deepEqual(
        await rows(db, account),
        names.map((name) => [name, 'SUCCEEDED', 40]),
      )
      assert.deepEqual(await spent(db, account), [4, 160])
      await chats.close()
      assert.equal(await logs.left(), 0)
      await logs.recover()
      assert.deepEqual(await spent(db, account), [4, 160])
    })

    test('keep all that is known of them in the ledger', async () => {
      await using logs = await open()
      const account = newAccount()
      const key = newAccount()
      const chats = await logs.openDying()
      const via = { deployment: 'eu', route: 'writer', number: 2, first: 'x' }
      const known = { keyId: key, model: 'a "model" ü', createdAtMs: 5, via }
      await chats.begin(chat(account, 'a', known))
      await chats.settle({ ...answered(account, 'a'), nowMs: 7 })
      await logs.recover()
      const [row] = await logs.db.query('select * from ledger where account_id = $1', [account])
      assert.deepEqual(row, {
        attempt: `${account}/a`,
        account_id: account,
        key_id: key,
        task_id: null,
        run_id: null,
        node_id: null,
        workflow_id: null,
        operation: 'chat',
        provider: 'double',
        model: 'a "model" ü',
        units: '{"inputTokens":3,"outputTokens":1}',
        unit_price: '{"inputPerMillionTokens":1}',
        reserved_micros: 100,
        cost_micros: 40,
        outcome: 'SUCCEEDED',
        created_at: 5,
        settled_at: 7,
        remark: null,
        stored_at: null,
        tag: null,
        holder: null,
        credential: null,
        via: JSON.stringify(via),
      })
    })

    test('that died with their process count as spent, once, and those answered as answered', async () => {
      await using logs = await open()
      const { db } = logs
      const account = newAccount()
      const dying = createAttemptLedger(
        ledgerIn(db, await logs.openDying(), systemClock),
        systemClock,
      )
      const options = { spender: free(account), neededMicros: 100 }
      await Promise.all(
        ['answered', 'lost'].map((name) => dying.open(chat(account, name), options)),
      )
      await dying.open(chat(account, 'unpriced', { unitPrice: null }), options)
      await dying.settle(answered(account, 'answered'))
      for (let time = 0; time < 2; time++) await logs.recover()
      assert.deepEqual(await rows(db, account), [
        ['answered', 'SUCCEEDED', 40],
        ['lost', 'UNKNOWN', 100],
        ['unpriced', 'UNKNOWN', null],
      ])
      assert.deepEqual(await spent(db, account), [3, 140])
      assert.equal(await logs.left(), 0)
    })

    test('under a spend limit are held back while they are under way', async () => {
      await using logs = await open()
      const { db } = logs
      const account = newAccount()
      const ledger = createAttemptLedger(ledgerIn(db, await logs.open(), systemClock), systemClock)
      const fromDay = `${dayOf(systemClock.nowMs()).slice(0, 7)}-01`
      const committed = () => committedMicros(db, account, { keyId: null, fromDay })
      await ledger.open(chat(account, 'a'), { spender: limited(account), neededMicros: 100 })
      assert.equal(await committed(), 100)
      await ledger.settle(answered(account, 'a'))
      assert.equal(await committed(), 40)
      assert.deepEqual(await rows(db, account), [['a', 'SUCCEEDED', 40]])
    })

    test('answered before a limit was set count against it at once', async () => {
      await using logs = await open()
      const { db } = logs
      const account = newAccount()
      const ledger = createAttemptLedger(ledgerIn(db, await logs.open(), systemClock), systemClock)
      await ledger.open(chat(account, 'a'), { spender: free(account), neededMicros: 100 })
      await ledger.settle({ ...answered(account, 'a'), costMicros: 999_950 })
      const next = ledger.open(chat(account, 'b'), { spender: limited(account), neededMicros: 100 })
      await assert.rejects(async () => next, { code: 'SPEND_LIMIT_REACHED' })
    })
  })
}

/** A database that can be away, and that can lose the answer to what it has done. */
function unreliable(db: Db) {
  const state = { is: 'there' as 'there' | 'away' | 'losing answers' }
  const through = async <T>(work: () => Promise<T>): Promise<T> => {
    if (state.is === 'away') throw new StoreUnavailable('it is away')
    const value = await work()
    if (state.is === 'losing answers') throw new CommitUnknown('the answer was lost')
    return value
  }
  const wrapped: Db = {
    ...db,
    writeAll: (statements, options) => through(() => db.writeAll(statements, options)),
    transaction: (work, options) => through(() => db.transaction(work, options)),
  }
  return { state, db: wrapped }
}

for (const { name, open } of databases) {
  describe(`the cost of a call that was answered while ${name} was away`, () => {
    const spenders = { 'with a limit': limited, 'in the table of intents': free }
    for (const [which, spenderOf] of Object.entries(spenders)) {
      test(`is kept and stored when it is back, in order: ${which}`, async () => {
        await using opened = await open({ migrations })
        const { state, db } = unreliable(opened.db)
        const account = newAccount()
        const chats = openChatIntents(db, systemClock)
        const ledger = createAttemptLedger(ledgerIn(db, chats, systemClock), systemClock)
        const options = { spender: spenderOf(account), neededMicros: 100 }
        const names = ['a', 'b', 'c', 'd']
        for (const name of names) await ledger.open(chat(account, name), options)
        await anHourPasses(opened.db)
        state.is = 'away'
        await ledger.settle(answered(account, 'a'))
        await Promise.all(['b', 'c'].map((name) => ledger.settle(answered(account, name))))
        await assert.rejects(async () => ledger.open(chat(account, 'e'), options), StoreUnavailable)
        // Others may think meanwhile that this process has died.
        await settleAbandoned(opened.db)
        assert.deepEqual(await spent(opened.db, account), [4, 400])
        state.is = 'losing answers'
        await ledger.settle(answered(account, 'd'))
        state.is = 'there'
        const found = await eventually(
          () => rows(opened.db, account),
          (seen) => seen.every(([, outcome]) => outcome === 'SUCCEEDED'),
        )
        assert.deepEqual(
          found,
          names.map((name) => [name, 'SUCCEEDED', 40]),
        )
        assert.deepEqual(await spent(opened.db, account), [4, 160])
        await ledger.close()
        await chats.close()
        assert.deepEqual(await opened.db.query('select batch from chat_intents'), [])
      })

      test(`is never that of a call which was refused: ${which}`, async () => {
        await using opened = await open({ migrations })
        const { state, db } = unreliable(opened.db)
        const account = newAccount()
        const chats = openChatIntents(db, systemClock)
        const ledger = createAttemptLedger(ledgerIn(db, chats, systemClock), systemClock)
        const options = { spender: spenderOf(account), neededMicros: 100 }
        state.is = 'losing answers'
        const refused = async () => ledger.open(chat(account, 'refused'), options)
        await assert.rejects(refused, (error) => {
          assert.ok(error instanceof StoreUnavailable && !(error instanceof CommitUnknown))
          return true
        })
        state.is = 'there'
        await eventually(
          () => rows(opened.db, account),
          ([row]) => row?.[1] === 'REJECTED',
        )
        await anHourPasses(opened.db)
        await settleAbandoned(opened.db)
        assert.deepEqual(await rows(opened.db, account), [['refused', 'REJECTED', 0]])
        assert.deepEqual(await spent(opened.db, account), [undefined, undefined])
        await ledger.close()
        await chats.close()
      })
    }
  })

  test(`no call starts while ten thousand outcomes wait for ${name}`, async () => {
    await using opened = await open({ migrations })
    const { state, db } = unreliable(opened.db)
    const account = newAccount()
    const ledger = createAttemptLedger(
      ledgerIn(db, openChatIntents(db, systemClock), systemClock),
      systemClock,
    )
    const names = Array.from({ length: 10_000 }, (_, i) => `${i}`)
    state.is = 'away'
    await Promise.all(names.map((name) => ledger.settle(answered(account, name))))
    state.is = 'there'
    const options = { spender: limited(account), neededMicros: 100 }
    const next = ledger.open(chat(account, 'next'), options)
    state.is = 'away'
    await assert.rejects(async () => next, /too many calls are waiting/)
    await ledger.close()
  })

  describe(`attempts in the table of intents on ${name}`, () => {
    test('of one moment share a row, and the young are not given up', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const chats = openChatIntents(db, systemClock)
      await Promise.all(['a', 'b'].map((name) => chats.begin(chat(account, name))))
      await anHourPasses(db)
      await chats.begin(chat(account, 'young'))
      assert.equal((await db.query('select batch from chat_intents')).length, 2)
      await settleAbandoned(db)
      assert.deepEqual(await rows(db, account), [
        ['a', 'UNKNOWN', 100],
        ['b', 'UNKNOWN', 100],
      ])
    })

    test('of a process whose clock is an hour behind are not given up while they live', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const behind = { createdAtMs: systemClock.nowMs() - hourMs }
      const ledger = createAttemptLedger(
        ledgerIn(db, openChatIntents(db, systemClock), systemClock),
        systemClock,
      )
      await ledger.open(chat(account, 'a', behind), { spender: free(account), neededMicros: 100 })
      const limits = { spender: limited(account), neededMicros: 100 }
      await ledger.open(chat(account, 'b', behind), limits)
      await settleAbandoned(db)
      assert.deepEqual(await rows(db, account), [['b', 'PENDING', null]])
      await ledger.settle(answered(account, 'a'))
      await ledger.settle(answered(account, 'b'))
      assert.deepEqual(
        (await rows(db, account)).map(([attempt, outcome]) => [attempt, outcome]),
        [
          ['a', 'SUCCEEDED'],
          ['b', 'SUCCEEDED'],
        ],
      )
    })

    test('settled by another while their process stood still end as that process knows', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const paused = createAttemptLedger(
        ledgerIn(db, openChatIntents(db, systemClock), systemClock),
        systemClock,
      )
      const options = { spender: free(account), neededMicros: 100 }
      await paused.open(chat(account, 'late'), options)
      await anHourPasses(db)
      await settleAbandoned(db)
      await paused.open(chat(account, 'next'), options)
      await Promise.all([
        paused.settle(answered(account, 'late')),
        paused.settle(answered(account, 'next')),
      ])
      assert.deepEqual(await rows(db, account), [
        ['late', 'SUCCEEDED', 40],
        ['next', 'SUCCEEDED', 40],
      ])
      assert.deepEqual(await spent(db, account), [2, 80])
    })
  })
}
