// Some compatible servers report no usage. What such an answer costs is not known, but under a
// limit it counts: otherwise any number of them would pass.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { addWorkflow, ended, graph, started } from '../runs/setting.ts'
import {
  assertFailure,
  type Bench,
  chat,
  newCustomer,
  openBench,
  says,
  testModels,
} from './setting.ts'

const hello = { model: 'test/text', messages: [says('Hello')] }
/** The most that "Hello" can cost. */
const mostMicros = (5 + 32 + 2 * 16) * 2 + 1_000 * 8
const choice = { index: 0, finish_reason: 'stop' }
const uncounted = {
  do: 'say' as const,
  status: 200,
  body: { id: 'c', choices: [{ ...choice, message: { content: 'Hi' } }] },
}
const streamed = {
  do: 'say' as const,
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: Buffer.from(
    `data: ${JSON.stringify({ choices: [{ ...choice, delta: { content: 'Hi' } }] })}\n\ndata: [DONE]\n\n`,
  ),
}

const viaStream = (bench: Bench, key: string) =>
  bench.call({
    method: 'POST',
    path: '/v1/chat/completions',
    json: { ...hello, stream: true },
    key,
  })

for (const { name: database } of databases) {
  describe(`answers without usage on ${database}`, () => {
    for (const stream of [false, true]) {
      test(`under a spend limit count as the most they can cost (streamed: ${stream})`, async (t) => {
        const bench = await openBench(t, { doubles: ['openai'], models: testModels, database })
        bench.doubles.openai.always('chat', stream ? streamed : uncounted)
        const { key, ask } = await newCustomer(bench, { spendLimit: (2 * mostMicros) / 1e6 })
        for (let i = 0; i < 2; i++)
          assert.equal(
            (await (stream ? viaStream(bench, key) : chat(bench, hello, { key }))).status,
            200,
          )
        assertFailure(await chat(bench, hello, { key }), 403, 'SPEND_LIMIT_REACHED')
        assert.equal((await ask('GET', '/spend')).body.data.total.amount, (2 * mostMicros) / 1e6)
      })
    }

    test('in a run with a maxCost count as the most they can cost', async (t) => {
      const bench = await openBench(t, { doubles: ['openai'], models: testModels, database })
      bench.doubles.openai.always('chat', uncounted)
      const text = (id: string) => ({
        ...{ id, type: 'text.generate' },
        data: { model: 'test/text', maxTokens: 1_000 },
      })
      const chain = graph(
        [{ id: 'topic', type: 'input.text' }, text('a'), text('b'), text('c')],
        ['topic -> a.prompt', 'a.text -> b.prompt', 'b.text -> c.prompt'],
      )
      const workflowId = await addWorkflow(bench, chain)
      const maxCost = 0.02
      const run = await ended(
        bench,
        await started(bench, workflowId, { inputs: { topic: 'x' }, maxCost }),
      )
      assert.equal(run.nodeErrors[0]?.code, 'COST_LIMIT_REACHED', run.status)
      assert.ok(run.cost.amount > 0 && run.cost.amount <= maxCost, String(run.cost.amount))
    })

    test('without a limit have an unknown cost', async (t) => {
      const bench = await openBench(t, { doubles: ['openai'], models: testModels, database })
      bench.doubles.openai.always('chat', uncounted)
      const { key } = await newCustomer(bench)
      const { body } = await chat(bench, hello, { key })
      assert.equal(body.data.cost, null)
    })
  })
}
