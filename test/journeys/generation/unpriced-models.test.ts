// A model without a known price must not pass a limit unnoticed: it is refused by name, unless the
// account set a stand-in price for it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { type Call, P } from '../../support/server.ts'
import { addWorkflow, graph, ended as runEnded, started, submit } from '../runs/setting.ts'
import {
  assertFailure,
  attempts,
  type Bench,
  chat,
  ended,
  eventually,
  newCustomer,
  openBench,
  says,
  submitted,
  testModels,
} from './setting.ts'

const hello = { model: 'test/bare', messages: [says('Hello')] }
const bare = (id: string, kind: string, more: object = {}) => ({
  ...{ id, kind, provider: 'local' },
  ...more,
})
const models = {
  models: [
    ...testModels.models,
    bare('test/bare', 'TEXT'),
    bare('test/spare', 'TEXT', {
      pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: 8 },
      fallbacks: ['test/bare'],
    }),
    bare('test/vectors', 'EMBEDDING'),
    bare('test/voice', 'SPEECH'),
    { id: 'test/video', provider: 'fal', kind: 'VIDEO', providerModel: 'fal-ai/veo3.1/fast' },
    { id: 'test/image', provider: 'fal', kind: 'IMAGE', providerModel: 'fal-ai/flux/schnell' },
  ],
}
const standIn = { inputPerMillionTokens: 3, outputPerMillionTokens: 9 }

const gemini = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }

/** Calls of every surface with a model that has no price. */
const calls: [what: string, path: string, json: object][] = [
  ['a chat', `${P}/chat/completions`, hello],
  ['an OpenAI chat', '/v1/chat/completions', hello],
  ['a streamed chat', '/v1/chat/completions', { ...hello, stream: true }],
  ['an OpenAI response', '/v1/responses', { model: 'test/bare', input: 'Hello' }],
  ['an Anthropic message', '/v1/messages', { ...hello, max_tokens: 10 }],
  ['a Gemini answer', '/v1beta/models/test/bare:generateContent', gemini],
  ['a streamed Gemini answer', '/v1beta/models/test/bare:streamGenerateContent?alt=sse', gemini],
  ['embeddings', '/v1/embeddings', { model: 'test/vectors', input: 'Hello' }],
  ['speech', '/v1/audio/speech', { model: 'test/voice', input: 'Hello', voice: 'alloy' }],
  ['an OpenAI image', '/v1/images/generations', { model: 'test/image', prompt: 'A door' }],
  ['a video', `${P}/videos/generations`, { model: 'test/video', messages: [says('A door')] }],
]

const setStandIn = (
  { ask }: Awaited<ReturnType<typeof newCustomer>>,
  model: string,
  pricing: object,
) => ask('PUT', '/stand-in-prices', { model, pricing })

const rowsOf = async (bench: Bench, accountId: string) =>
  (await attempts(bench)).filter((row) => row.account_id === accountId)

for (const { name: database } of databases) {
  describe(`a model without a price on ${database}`, () => {
    test('is refused by name under a limit, on every surface, and no provider is called', async (t) => {
      const doubles = ['openai', 'fal'] as const
      const bench = await openBench(t, { doubles, models, database })
      const limited = [
        await newCustomer(bench, { spendLimit: 0.01 }),
        await newCustomer(bench, { limits: { spendPerMonth: 0.01 } }),
      ]
      for (const { key } of limited) {
        for (const [what, path, json] of calls) {
          const { status, body, text } = await bench.call({ method: 'POST', key, path, json })
          assert.equal(status, 403, `${what}: ${text}`)
          // Google's format has the status as its code, and ours beside it.
          const { code, details } = body.error
          assert.equal(code === 403 ? details[0].reason : code, 'UNPRICED_MODEL', what)
          assert.match(text, /test\/(?:bare|vectors|voice|image|video)/, what)
        }
      }
      assert.deepEqual(bench.doubles.openai.requests, [])
      assert.equal(bench.doubles.fal.counts.submit, 0)
      const { key } = await newCustomer(bench)
      assert.equal((await chat(bench, hello, { key })).status, 200)
    })

    test('is paid with the stand-in price of the account, reserved and booked, and marked so', async (t) => {
      const bench = await openBench(t, { doubles: ['openai', 'fal'], models, database })
      const customer = await newCustomer(bench, { spendLimit: 1 })
      await setStandIn(customer, 'test/bare', standIn)
      await setStandIn(customer, 'test/image', { perImage: 0.05 })
      const { key, accountId } = customer
      const { body } = await chat(bench, { ...hello, maxTokens: 100 }, { key })
      assert.equal(body.data.cost.amount, (21 * 3 + 8 * 9) / 1e6)
      const image = await submitted(bench, 'image', { model: 'test/image' }, { key })
      assert.equal((await ended(bench, image, { key })).cost.amount, 0.05)
      const rows = await eventually(
        () => rowsOf(bench, accountId),
        (seen) => seen.every(({ outcome }) => outcome === 'SUCCEEDED') && seen.length === 2,
      )
      assert.equal(rows[0]?.reserved_micros, (32 + 2 * 16 + 5) * 3 + 100 * 9)
      const { items } = (await customer.ask('GET', '/calls?from=2026-01-01T00:00:00Z')).body.data
      assert.deepEqual(
        items.map(({ unitPrice }: { unitPrice: { standIn?: true } }) => unitPrice.standIn),
        [true, true],
      )
      const other = await newCustomer(bench, { spendLimit: 1 })
      assertFailure(await chat(bench, hello, other), 403, 'UNPRICED_MODEL')
      await customer.ask('PUT', '/stand-in-prices', { model: 'test/bare', pricing: null })
      assertFailure(await chat(bench, hello, { key }), 403, 'UNPRICED_MODEL')
    })

    test('refuses a run under a limit before anything is paid', async (t) => {
      const bench = await openBench(t, { doubles: ['openai', 'fal'], models, database })
      const node = (type: string, model: string) => ({
        id: 'n',
        type,
        data: { model, prompt: 'Hello' },
      })
      for (const data of [
        graph([node('text.generate', 'test/bare')]),
        graph([node('image.generate', 'test/image')]),
        graph([
          {
            id: 'n',
            type: 'flow.map',
            data: {
              items: ['a'],
              apply: { type: 'text.generate', data: { model: 'test/bare' } },
            },
          },
        ]),
      ]) {
        const workflowId = await addWorkflow(bench, data)
        const caller = await addWorkflow(
          bench,
          graph([{ id: 'c', type: 'workflow.call', data: { workflowId } }]),
        )
        for (const id of [workflowId, caller]) {
          const refused = await submit(bench, id, { maxCost: 5 })
          const { details } = assertFailure(refused, 403, 'UNPRICED_MODEL')
          assert.match(details.model, /^test\//)
        }
      }
      assert.deepEqual(bench.doubles.openai.requests, [])
      const workflowId = await addWorkflow(bench, graph([node('text.generate', 'test/bare')]))
      const estimate = await bench.call({
        method: 'POST',
        path: `${P}/workflows/${workflowId}/estimate`,
        json: {},
      })
      assert.match(estimate.body.data.assumptions.join(), /"test\/bare" is not known.*refused/)
      assert.equal((await runEnded(bench, await started(bench, workflowId))).status, 'COMPLETED')
    })

    test('fails the node of a run that a limit applies to only since its retry', async (t) => {
      const bench = await openBench(t, { doubles: ['openai'], models, database })
      const { key, ask } = await newCustomer(bench)
      const on = { call: (call: Call | string) => bench.call({ ...(call as Call), key }) }
      const data = { model: 'test/bare', prompt: 'Hello' }
      const workflowId = await addWorkflow(on, graph([{ id: 'n', type: 'text.generate', data }]))
      bench.doubles.openai.script('chat', { do: 'refuse', status: 400 })
      const read = async (runId: string) =>
        eventually(
          async () => (await on.call({ path: `${P}/workflow-runs/${runId}` })).body.data,
          (run) => run.completedAt !== null,
        )
      const runId = await started(on, workflowId)
      assert.equal((await read(runId)).status, 'FAILED')
      await ask('PUT', '/account', { name: 'customer', spendLimit: 1 })
      const again = await on.call({
        method: 'POST',
        path: `${P}/workflow-runs/${runId}/retry`,
        headers: { 'idempotency-key': 'again' },
        json: {},
      })
      const { status, nodeErrors } = await read(again.body.data.runId)
      assert.deepEqual([status, nodeErrors[0].code], ['FAILED', 'UNPRICED_MODEL'])
      assert.equal(bench.doubles.openai.counts.chat, 1)
    })

    test('serves no call as a fallback under a limit', async (t) => {
      const bench = await openBench(t, { doubles: ['openai'], models, database })
      const { key } = await newCustomer(bench, { spendLimit: 1 })
      bench.doubles.openai.always('chat', { do: 'refuse', status: 503 })
      const answer = await chat(bench, { ...hello, model: 'test/spare' }, { key })
      assert.equal(answer.status, 503, answer.text)
      assert.equal(bench.doubles.openai.counts.chat, 1)
    })
  })
}
