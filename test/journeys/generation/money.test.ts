import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Db, Reader } from '#store/db.ts'
import { dayOf } from '#store/tables/day-sums.ts'
import { openAttempt, spendDays } from '#store/tables/ledger.ts'
import { committedMicros } from '../../support/committed.ts'
import { databases } from '../../support/databases.ts'
import type { Body } from '../../support/server.ts'
import {
  assertFailure,
  attempts,
  type Bench,
  chat,
  ended,
  eventually,
  generate,
  newCustomer,
  openBench,
  says,
  submitted,
  testModels,
} from './setting.ts'

const hello = { model: 'test/text', messages: [says('Hello')] }
const chatMicros = 21 * 2 + 8 * 8
/** The most "Hello" can cost: reserved under a limit until the real usage is known. */
const reservedTokens = 5 + 32 + 2 * 16
const reservedMicros = reservedTokens * 2 + 1_000 * 8
const falImageMicros = 3_000

const month = (clock: Bench['clock']) => {
  const day = dayOf(clock.nowMs())
  return [`${day.slice(0, 7)}-01`, day] as const
}

const completion = (usage: object) => ({
  id: 'chatcmpl-double',
  object: 'chat.completion',
  created: 1_763_000_000,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage,
})

const days = ({ db, clock }: Bench, accountId: string) => spendDays(db, accountId, ...month(clock))

const committed = (db: Reader, clock: Bench['clock'], accountId: string) =>
  committedMicros(db, accountId, { keyId: null, fromDay: month(clock)[0] })

for (const { name: database } of databases) {
  describe(`money on ${database}`, () => {
    test('every call has one ledger row, and the days add up to what the provider took', async (t) => {
      const bench = await openBench(t, {
        doubles: ['openai', 'fal'],
        models: testModels,
        database,
      })
      const { key, keyId, accountId } = await newCustomer(bench)
      bench.doubles.openai.script('chat', { do: 'answer' }, { do: 'refuse', status: 429 })
      for (let i = 0; i < 4; i++) await chat(bench, hello, { key })
      bench.doubles.fal.plan('succeeded')
      const image = await submitted(bench, 'image', { model: 'fal/flux-schnell' }, { key })
      const video = await submitted(
        bench,
        'video',
        { model: 'fal/kling-3-4k', videoSeconds: 4 },
        { key },
      )
      const made = [await ended(bench, image, { key }), await ended(bench, video, { key })]
      assert.deepEqual(
        made.map((task) => [task.status, task.cost.amount]),
        [
          ['COMPLETED', 0.003],
          ['COMPLETED', 4 * 0.42],
        ],
      )
      const rows = await attempts(bench)
      assert.ok(rows.every((row) => row.account_id === accountId && row.key_id === keyId))
      const billed = rows.filter((row) => row.outcome !== 'REJECTED')
      const { openai, fal } = bench.doubles
      assert.equal(billed.length, openai.counts.accepted + fal.counts.accepted)
      assert.equal(rows.length, openai.counts.chat + fal.counts.submit)
      const sums = await days(bench, accountId)
      assert.deepEqual(
        sums.map((day) => [day.model, day.calls, day.cost_micros]).sort(),
        [
          ['fal/flux-schnell', 1, falImageMicros],
          ['fal/kling-3-4k', 1, 4 * 420_000],
          ['test/text', 3, 3 * chatMicros],
        ].sort(),
      )
      const text = sums.find((day) => day.model === 'test/text')
      assert.deepEqual([text?.input_tokens, text?.output_tokens], [3 * 21, 3 * 8])
      assert.equal(sums.find((day) => day.model === 'fal/kling-3-4k')?.video_seconds, 4)
      assert.ok(sums.every((day) => day.key_id === keyId))
    })

    test('an answered chat is in the spend at once, and counts against a limit that is set then', async (t) => {
      const bench = await openBench(t, { doubles: ['openai'], models: testModels, database })
      const { key, ask } = await newCustomer(bench)
      for (let calls = 1; calls <= 5; calls++) {
        assert.equal((await chat(bench, hello, { key })).status, 200)
        const { items, total } = (await ask('GET', '/spend')).body.data
        assert.deepEqual([items[0]?.calls, total.amount], [calls, (calls * chatMicros) / 1e6])
      }
      assert.equal((await chat(bench, hello, { key })).status, 200)
      const spendLimit = (5 * chatMicros + reservedMicros) / 1e6
      await ask('PUT', '/account', { name: 'customer', spendLimit })
      assertFailure(await chat(bench, hello, { key }), 403, 'SPEND_LIMIT_REACHED')
    })

    test('a caller who asks for endless tokens harms nobody', async (t) => {
      const models = { models: [{ ...testModels.models[0], capabilities: {} }] }
      const bench = await openBench(t, { doubles: ['openai'], models, database })
      const { key, ask } = await newCustomer(bench)
      bench.doubles.openai.script('chat', { do: 'cut', when: 'after-accepting' })
      assert.equal((await chat(bench, { ...hello, maxTokens: 1e300 }, { key })).status, 502)
      assert.equal((await chat(bench, { ...hello, maxTokens: 1e300 }, { key })).status, 200)
      assert.equal((await chat(bench, hello, { key })).status, 200)
      const { items, total } = (await ask('GET', '/spend')).body.data
      assert.deepEqual([items[0]?.calls, total.amount], [3, 1e6 + (2 * chatMicros) / 1e6])
    })

    test('an account over its limit is refused, and no provider is called', async (t) => {
      const bench = await openBench(t, { doubles: ['openai', 'fal'], models: testModels, database })
      const limitMicros = reservedMicros + chatMicros
      const { key } = await newCustomer(bench, { spendLimit: limitMicros / 1_000_000 })
      assert.equal((await chat(bench, hello, { key })).status, 200)
      assert.equal((await chat(bench, hello, { key })).status, 200)
      const refused = await chat(bench, hello, { key })
      const { details, retryable } = assertFailure(refused, 403, 'SPEND_LIMIT_REACHED')
      assert.equal(retryable, false)
      assert.equal(details.scope, 'account')
      assert.equal(details.committed.amount, (2 * chatMicros) / 1_000_000)
      const image = { model: 'fal/nano-banana-2', messages: [says('A door')] }
      assertFailure(await generate(bench, 'image', image, { key }), 403, 'SPEND_LIMIT_REACHED')
      assert.equal(bench.doubles.openai.counts.chat, 2)
      assert.equal(bench.doubles.fal.counts.submit, 0)
      assert.equal((await chat(bench, { ...hello, model: 'demo-text' }, { key })).status, 200)
    })

    test('calls in flight count: 20 chats at once never exceed the limit together', async (t) => {
      const bench = await openBench(t, { doubles: ['openai'], models: testModels, database })
      const room = 7
      const spendLimit = (room * reservedMicros) / 1_000_000
      const { key, accountId } = await newCustomer(bench, { spendLimit })
      bench.doubles.openai.always('chat', { do: 'hold' })
      const asked = Array.from({ length: 20 }, () => chat(bench, hello, { key }))
      await bench.doubles.openai.arrived('chat', room)
      assert.equal(await committed(bench.db, bench.clock, accountId), room * reservedMicros)
      assert.equal(bench.doubles.openai.counts.chat, room)
      bench.doubles.openai.release()
      const statuses = (await Promise.all(asked)).map((answer) => answer.status)
      assert.ok(statuses.every((status) => status === 200))
      assert.equal(await committed(bench.db, bench.clock, accountId), 20 * chatMicros)
    })

    test('20 tasks at once never exceed the limit together, and those that wait are made later', async (t) => {
      const bench = await openBench(t, { doubles: ['fal'], database })
      const room = 6
      const spendLimit = (room * falImageMicros) / 1_000_000
      const { key, accountId } = await newCustomer(bench, { spendLimit })
      bench.doubles.fal.plan('failed')
      bench.doubles.fal.always('submit', { do: 'hold' })
      const body = { model: 'fal/flux-schnell', messages: [says('A door')] }
      const asked = Array.from({ length: 20 }, () => generate(bench, 'image', body, { key }))
      await bench.doubles.fal.arrived('submit', room)
      assert.equal(await committed(bench.db, bench.clock, accountId), room * falImageMicros)
      const { body: list } = await bench.call({ path: '/api/ai-tools/v1/tasks', key })
      assert.equal(list.data.total, room)
      bench.doubles.fal.release()
      // They fail, which ends their reservations.
      for (const answer of await Promise.all(asked)) {
        await ended(bench, answer.body.taskId, { key })
      }
      assert.equal(await committed(bench.db, bench.clock, accountId), 0)
    })

    test('a hundred chats at once that use all they may do not exceed the limit', async (t) => {
      const pricing = { inputPerMillionTokens: 1, outputPerMillionTokens: 5 }
      const models = { models: [{ id: 'wide', provider: 'local', kind: 'TEXT', pricing }] }
      const bench = await openBench(t, { doubles: ['openai'], models, database })
      const { key, accountId } = await newCustomer(bench, { spendLimit: 1 })
      bench.doubles.openai.always('chat', {
        do: 'say',
        status: 200,
        body: completion({ prompt_tokens: reservedTokens, completion_tokens: 16_384 }),
      })
      const wide = { ...hello, model: 'wide' }
      const asked = Array.from({ length: 100 }, () => chat(bench, wide, { key }))
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      assert.ok(statuses.every((status) => status === 200 || status === 403))
      assert.ok(statuses.includes(200) && statuses.includes(403))
      const spentMicros = await committed(bench.db, bench.clock, accountId)
      assert.ok(spentMicros <= 1_000_000, `${spentMicros} micros spent`)
      for (const { body } of bench.doubles.openai.requests) {
        assert.equal((body as { max_tokens: number }).max_tokens, 16_384)
      }
    })

    test('usage beyond reason is counted up to the context window, and marked', async (t) => {
      const capabilities = { maxInputTokens: 20_000, maxOutputTokens: 1_000 }
      const models = { models: [{ ...testModels.models[0], capabilities }] }
      const bench = await openBench(t, { doubles: ['openai'], models, database })
      const { ask, key } = await newCustomer(bench)
      const reports = [
        { prompt_tokens: 12_000, completion_tokens: 8 },
        { prompt_tokens: 1e308, completion_tokens: 1e308 },
      ]
      for (const usage of reports)
        bench.doubles.openai.script('chat', { do: 'say', status: 200, body: completion(usage) })
      const costs = []
      for (const _ of reports) costs.push((await chat(bench, hello, { key })).body.data.cost.amount)
      const micros = [12_000 * 2 + 8 * 8, 20_000 * 2 + 1_000 * 8]
      assert.deepEqual(
        costs,
        micros.map((cost) => cost / 1e6),
      )
      const { items } = (await ask('GET', '/calls?from=2020-01-01T00:00:00Z')).body.data
      assert.deepEqual(
        items.map((call: Body) => [call.cost.amount, call.remark]),
        [
          [costs[1], 'CLAMPED'],
          [costs[0], null],
        ],
      )
    })

    test('what a vendor does not bill is not booked: errors in place of an answer', async (t) => {
      const bench = await openBench(t, { doubles: ['openai'], models: testModels, database })
      const { key, accountId } = await newCustomer(bench, { limits: { spendPerMonth: 0.01 } })
      const error = { error: { message: 'overloaded', type: 'server_error' } }
      bench.doubles.openai.script(
        'chat',
        ...[500, 500, 500, 502, 503].map((status) => ({ do: 'refuse' as const, status })),
        { do: 'say', status: 200, body: error },
      )
      for (let i = 0; i < 6; i++) {
        const { status } = await chat(bench, hello, { key })
        assert.ok(status === 502 || status === 503, `answered ${status}`)
        bench.clock.advance(60_000)
      }
      assert.equal(await committed(bench.db, bench.clock, accountId), 0)
      assert.equal((await chat(bench, hello, { key })).status, 200)
      const rows = (await attempts(bench)).map((row) => [row.outcome, row.cost_micros])
      assert.deepEqual(rows.slice(0, 5), [
        ['FAILED', 0],
        ['FAILED', 0],
        ['FAILED', 0],
        ['FAILED', 0],
        ['REJECTED', 0],
      ])
    })

    test('a key has a limit of its own within the account', async (t) => {
      const bench = await openBench(t, { doubles: ['openai'], models: testModels, database })
      const limits = { spendPerMonth: reservedMicros / 1_000_000 }
      const { key } = await newCustomer(bench, { limits })
      assert.equal((await chat(bench, hello, { key })).status, 200)
      const refused = await chat(bench, hello, { key })
      assert.equal(assertFailure(refused, 403, 'SPEND_LIMIT_REACHED').details.scope, 'key')
      assert.equal((await chat(bench, hello)).status, 200)
    })
  })
}

describe('money', () => {
  test('SPEND_LIMIT holds for every account that has none of its own', async (t) => {
    const models = {
      models: [
        {
          id: 'dear',
          provider: 'openai',
          kind: 'TEXT',
          pricing: { inputPerMillionTokens: 0, outputPerMillionTokens: 1000 },
        },
      ],
    }
    const bench = await openBench(t, { doubles: ['openai'], models, env: { SPEND_LIMIT: '2' } })
    const ask = (maxTokens: number) => chat(bench, { ...hello, model: 'dear', maxTokens })
    assertFailure(await ask(2001), 403, 'SPEND_LIMIT_REACHED')
    assert.equal((await ask(2000)).status, 200)
  })

  test('a limit starts anew with the month', async (t) => {
    const bench = await openBench(t, { doubles: ['openai'], models: testModels })
    const { key } = await newCustomer(bench, { spendLimit: reservedMicros / 1_000_000 })
    await chat(bench, hello, { key })
    assertFailure(await chat(bench, hello, { key }), 403, 'SPEND_LIMIT_REACHED')
    bench.clock.advance(31 * 24 * 3_600_000)
    assert.equal((await chat(bench, hello, { key })).status, 200)
  })

  test('the system prompt counts towards the reservation', async (t) => {
    const bench = await openBench(t, { doubles: ['openai'], models: testModels })
    const { key } = await newCustomer(bench, { spendLimit: 1 })
    await chat(bench, { ...hello, systemPrompt: 'x'.repeat(4_000) }, { key })
    const [attempt] = await attempts(bench)
    assert.equal(attempt?.reserved_micros, reservedMicros + 4_000 * 2)
  })

  test('a chat whose process died is counted as spent, not reserved forever', async (t) => {
    const bench = await openBench(t, { database: 'postgres', env: { CHAT_TIMEOUT_SECONDS: '1' } })
    const { accountId, keyId } = await newCustomer(bench)
    // On PostgreSQL the bench can use the database directly, like another process.
    const db = bench.db as Db
    const orphan = {
      ...{ accountId, keyId, taskId: null, runId: null, nodeId: null, operation: 'chat' as const },
      ...{ provider: 'openai', model: 'test/text', unitPrice: '{}', reservedMicros: 500 },
    }
    const hourMs = 3_600_000
    await db.transaction(async (tx) => {
      for (const [attempt, agedMs] of [
        ['dead', hourMs],
        ['alive', -hourMs],
      ] as const) {
        const createdAtMs = bench.clock.nowMs() - agedMs
        await openAttempt(tx, { ...orphan, attempt, createdAtMs })
        const age = 'update ledger set stored_at = stored_at - $1 where attempt = $2'
        await tx.write(age, [agedMs, attempt])
      }
    })
    const [day] = await eventually(
      () => days(bench, accountId),
      (seen) => seen.length > 0,
    )
    assert.deepEqual([day?.calls, day?.cost_micros], [1, 500])
    const rows = await attempts(bench)
    assert.deepEqual(
      rows.map((row) => [row.attempt, row.outcome, row.cost_micros]),
      [
        ['dead', 'UNKNOWN', 500],
        ['alive', 'PENDING', null],
      ],
    )
  })
})
