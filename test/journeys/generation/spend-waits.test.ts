// What fits a spend limit in the end is let through: calls wait for those in flight instead of
// being refused because of what is only reserved.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dayOf } from '#store/tables/day-sums.ts'
import { committedMicros } from '../../support/committed.ts'
import { databases } from '../../support/databases.ts'
import {
  assertFailure,
  type Bench,
  chat,
  generate,
  newCustomer,
  openBench,
  says,
  testModels,
} from './setting.ts'

/** Reserves more than 0.04 USD, and costs 0.01. */
const models = {
  models: [
    {
      id: 'test/reserving',
      provider: 'local',
      kind: 'TEXT',
      pricing: { inputPerMillionTokens: 0, outputPerMillionTokens: 10 },
    },
  ],
}
const asked = { model: 'test/reserving', messages: [says('Hello')], maxTokens: 4_096 }
const answered = {
  do: 'say' as const,
  status: 200,
  body: {
    id: 'c',
    choices: [{ index: 0, finish_reason: 'stop', message: { content: 'Hi' } }],
    usage: { prompt_tokens: 5, completion_tokens: 1_000 },
  },
}
const costMicros = 10_000

const committed = ({ db, clock }: Bench, accountId: string, keyId: string | null = null) =>
  committedMicros(db, accountId, { keyId, fromDay: `${dayOf(clock.nowMs()).slice(0, 7)}-01` })

for (const { name: database } of databases) {
  describe(`waiting for room under a limit on ${database}`, () => {
    test('200 chats at once use a key of 1 USD up, and never more', async (t) => {
      const bench = await openBench(t, { doubles: ['openai'], models, database })
      const { key, keyId, accountId } = await newCustomer(bench, { limits: { spendPerMonth: 1 } })
      bench.doubles.openai.always('chat', answered)
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => chat(bench, asked, { key })),
      )
      const made = answers.filter(({ status }) => status === 200)
      for (const answer of answers) {
        if (answer.status !== 200) assertFailure(answer, 403, 'SPEND_LIMIT_REACHED')
      }
      assert.equal(bench.doubles.openai.counts.chat, made.length)
      const spent = await committed(bench, accountId, keyId)
      assert.equal(spent, made.length * costMicros)
      assert.ok(spent <= 1_000_000 && spent >= 900_000, `${spent} micros spent`)
    })

    test('a picture waits for a chat in flight, and a chat for a picture', async (t) => {
      const bench = await openBench(t, {
        doubles: ['openai', 'fal'],
        models: { models: [...models.models, ...testModels.models] },
        database,
      })
      // Room for the chat or the picture, whose reservations are about 0.041 and 0.003 USD.
      const { key } = await newCustomer(bench, { spendLimit: 0.042 })
      bench.doubles.openai.always('chat', { do: 'hold' })
      const first = chat(bench, asked, { key })
      await bench.doubles.openai.arrived('chat', 1)
      const image = { model: 'fal/flux-schnell', messages: [says('A door')] }
      const picture = generate(bench, 'image', image, { key })
      bench.doubles.openai.release()
      assert.equal((await first).status, 200)
      assert.equal((await picture).status, 200)
    })
  })
}
