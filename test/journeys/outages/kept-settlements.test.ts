import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { attempts, chat, eventually, newCustomer, says, testModels } from '../generation/setting.ts'
import { openProxiedBench } from './setting.ts'

const hello = { model: 'test/text', messages: [says('Hello')] }
const chatMicros = 21 * 2 + 8 * 8

describe('a chat that is answered while PostgreSQL is unavailable', () => {
  test('is answered, and in the ledger at its exact cost once the database is back', async (t) => {
    const bench = await openProxiedBench(t, { doubles: ['openai'], models: testModels })
    const { proxy, doubles } = bench
    const limited = await newCustomer(bench, { spendLimit: 10 })
    doubles.openai.always('chat', { do: 'hold' })
    const asked = [chat(bench, hello), chat(bench, hello, { key: limited.key })]
    await doubles.openai.arrived('chat', 2)
    proxy.shut()
    doubles.openai.release()
    for (const answer of await Promise.all(asked)) {
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.body.data.cost.amount, chatMicros / 1e6)
    }
    proxy.open()
    const rows = await eventually(
      () => attempts(bench),
      (seen) => seen.length === 2 && seen.every(({ outcome }) => outcome !== 'PENDING'),
    )
    assert.deepEqual(
      rows.map(({ outcome, cost_micros }) => [outcome, cost_micros]),
      [
        ['SUCCEEDED', chatMicros],
        ['SUCCEEDED', chatMicros],
      ],
    )
    assert.deepEqual(await bench.direct.query('select batch from chat_intents'), [])
  })
})
