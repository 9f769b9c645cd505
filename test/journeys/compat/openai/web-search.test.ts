// A search on the web that the vendor of a model makes, asked for through the Responses API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type OpenAI from 'openai'
import { attempts, eventually, newCustomer } from '../../generation/setting.ts'
import { clientOf, failureOf, openGateway, streamingModels } from './setting.ts'

const models = {
  models: streamingModels.models.map(({ capabilities, pricing, ...model }) => ({
    ...model,
    capabilities: {
      ...capabilities,
      ...(model.provider === 'openai' ? { webSearch: 'openai' } : {}),
    },
    pricing: { ...pricing, perSearch: 0.01 },
  })),
}
const search: OpenAI.Responses.WebSearchTool = { type: 'web_search' }

test('is made, shown with its sources, counted and paid', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { key, accountId } = await newCustomer(bench)
  const { responses } = clientOf(bench, key)
  const order = { model: 'test/openai', input: 'Rain?', tools: [search], max_tool_calls: 2 }
  const whole = await responses.create(order)
  const streamed = await responses.stream(order).finalResponse()
  for (const { output, output_text } of [whole, streamed]) {
    assert.deepEqual(
      output.map(({ type }) => type),
      ['web_search_call', 'message'],
    )
    assert.equal(output_text, 'You said: Rain?')
    assert.match(JSON.stringify(output[1]), /"url_citation".*example\.com/)
  }
  const sent = bench.doubles.openai.requests.at(-1)?.body as Record<string, unknown>
  assert.deepEqual([sent.tools, sent.max_tool_calls], [[search], 2])
  const rows = await eventually(
    async () => (await attempts(bench)).filter((row) => row.account_id === accountId),
    (all) => all.length === 2 && all.every(({ outcome }) => outcome === 'SUCCEEDED'),
  )
  for (const row of rows) assert.ok(Number(row.cost_micros) > 10_000, String(row.cost_micros))
})

test('is refused by name for other models, but left out with a note if an agent adds it to all', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { responses } = clientOf(bench, (await newCustomer(bench)).key)
  const order = { model: 'test/local', input: 'Rain?' }
  const refused = await failureOf(responses.create({ ...order, tools: [search] }))
  assert.deepEqual([refused.status, refused.param], [400, 'tools'])
  assert.match(refused.error.message, /cannot search the web/)
  const offered = { ...search, external_web_access: true }
  const { data, response } = await responses.create({ ...order, tools: [offered] }).withResponse()
  assert.equal(data.output_text, 'You said: Rain?')
  assert.match(response.headers.get('x-atelier-notes') ?? '', /web_search/)
})
