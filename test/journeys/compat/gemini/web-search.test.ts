// A search on the web that Google makes for its own models, asked for with Google's client.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attempts, eventually, newCustomer } from '../../generation/setting.ts'
import { openGateway, streamingModels } from '../openai/setting.ts'
import { clientOf } from './setting.ts'

const models = {
  models: streamingModels.models.map(({ capabilities, pricing, ...model }) => ({
    ...model,
    capabilities: {
      ...capabilities,
      ...(model.provider === 'gemini' ? { webSearch: 'gemini' } : {}),
    },
    pricing: { ...pricing, perSearch: 0.014 },
  })),
}

test('is made, shown with its sources, and paid by the query, whole and streamed', async (t) => {
  const bench = await openGateway(t, { doubles: ['gemini'], models })
  const { key, accountId } = await newCustomer(bench)
  const client = clientOf(bench, key).models
  const config = { tools: [{ googleSearch: {} }] }
  const order = { model: 'test/gemini', contents: 'Rain?', config }
  const whole = await client.generateContent(order)
  const pieces = await Array.fromAsync(await client.generateContentStream(order))
  assert.equal(whole.text, 'You said: Rain?')
  const grounded = [whole, ...pieces].flatMap((one) => one.candidates?.[0]?.groundingMetadata ?? [])
  assert.equal(grounded.length, 2)
  for (const found of grounded) {
    assert.equal(found.groundingChunks?.[0]?.web?.uri, 'https://example.com/rain')
    assert.deepEqual(found.groundingSupports?.[0]?.groundingChunkIndices, [0])
    assert.ok(found.searchEntryPoint?.renderedContent)
  }
  assert.equal(pieces.at(-1)?.candidates?.[0]?.finishReason, 'STOP')
  const sent = bench.doubles.gemini.requests.map(({ body }) => (body as { tools?: unknown }).tools)
  assert.deepEqual(sent, [config.tools, config.tools])
  const rows = await eventually(
    async () => (await attempts(bench)).filter((row) => row.account_id === accountId),
    (all) => all.length === 2 && all.every(({ outcome }) => outcome === 'SUCCEEDED'),
  )
  // Two queries: an empty one and a repeated one are not billed.
  const [one, other] = rows.map(({ cost_micros }) => Number(cost_micros))
  assert.equal(one, other)
  assert.equal(Math.floor(Number(one) / 14_000), 2, String(one))
})
