// What coding agents send through Anthropic's API, to models of every vendor.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { png } from '../../../support/samples.ts'
import { attempts, eventually, newCustomer } from '../../generation/setting.ts'
import { openGateway, says, streamingModels } from '../openai/setting.ts'

const clientOf = ({ url }: { url: string }, apiKey: string) =>
  new Anthropic({ baseURL: url, apiKey, authToken: null, maxRetries: 0 })

const pixel = png({ width: 4, height: 4 }).toString('base64')
const pdf = Buffer.from('%PDF-1.7\n%%EOF').toString('base64')
const tools: Anthropic.Tool[] = [{ name: 'look', input_schema: { type: 'object' } }]

/** A picture and a PDF that a tool returned. */
const looked: Anthropic.MessageParam[] = [
  ...says('Look.'),
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'toolu_1',
        content: [
          { type: 'text', text: 'Here:' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
          {
            type: 'document',
            title: 'plan.pdf',
            source: { type: 'base64', media_type: 'application/pdf', data: pdf },
          },
        ],
      },
    ],
  },
]

const models = {
  models: [
    ...streamingModels.models.map(({ capabilities, ...model }) => ({
      ...model,
      capabilities: { ...capabilities, documents: true },
    })),
    {
      id: 'test/blind',
      provider: 'local',
      providerModel: 'blind',
      kind: 'TEXT',
      capabilities: { inputModalities: ['text'] },
      pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: 8 },
    },
  ],
}

const places = {
  openai: ['"input_image"', '"input_file"'],
  local: ['"image_url"', '"file_data"'],
  anthropic: ['"image"', '"document"'],
  gemini: ['"image/png"', '"application/pdf"'],
} as const

for (const provider of ['openai', 'local', 'anthropic', 'gemini'] as const) {
  test(`what a tool shows is seen by a model of ${provider}`, async (t) => {
    const double = provider === 'local' ? 'openai' : provider
    const bench = await openGateway(t, { doubles: [double], models })
    const { messages } = clientOf(bench, (await newCustomer(bench)).key)
    await messages.create({ model: `test/${provider}`, max_tokens: 50, tools, messages: looked })
    const sent = JSON.stringify(bench.doubles[double].requests.at(-1)?.body)
    for (const place of [...places[provider], pixel, pdf]) assert.ok(sent.includes(place), place)
  })
}

test('a model that cannot see is told what a tool showed, and the session goes on', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { messages } = clientOf(bench, (await newCustomer(bench)).key)
  const order = { model: 'test/blind', max_tokens: 50, tools, messages: looked }
  await messages.create(order)
  const sent = JSON.stringify(bench.doubles.openai.requests.at(-1)?.body)
  assert.match(sent, /A picture is here, which this model cannot see/)
  assert.match(sent, /A PDF document is here/)
  const source = { type: 'base64', media_type: 'image/png', data: pixel } as const
  const asked = { role: 'user', content: [{ type: 'image', source }] } as const
  await assert.rejects(
    messages.create({ ...order, messages: [asked] as never }),
    /does not accept images/,
  )
})

test('an effort that a model lacks becomes the nearest that it has, or none', async (t) => {
  const [openai, ...others] = models.models
  const some = { ...openai, capabilities: { ...openai?.capabilities, reasoningEfforts: ['low'] } }
  const bench = await openGateway(t, { doubles: ['openai'], models: { models: [some, ...others] } })
  const { messages } = clientOf(bench, (await newCustomer(bench)).key)
  const order = { max_tokens: 50, messages: says('Hi'), output_config: { effort: 'max' as const } }
  const sent = () => JSON.stringify(bench.doubles.openai.requests.at(-1)?.body)
  await messages.create({ ...order, model: 'test/openai' })
  assert.match(sent(), /"effort":"low"/)
  await messages.create({ ...order, model: 'test/local' })
  assert.doesNotMatch(sent(), /effort/)
})

test('thoughts are shown, and go back to the vendor whose model had them', async (t) => {
  const bench = await openGateway(t, { doubles: ['anthropic', 'openai'], models })
  const { messages } = clientOf(bench, (await newCustomer(bench)).key)
  const thinking = { type: 'adaptive', display: 'summarized' } as const
  const order = { model: 'test/anthropic', max_tokens: 50, tools, thinking }
  const whole = await messages.create({ ...order, messages: says('Look.') })
  const streamed = await messages.stream({ ...order, messages: says('Look.') }).finalMessage()
  for (const { content } of [whole, streamed]) {
    const [thought, use] = content
    assert.deepEqual([thought?.type, use?.type], ['thinking', 'tool_use'])
    assert.equal(thought?.type === 'thinking' && thought.thinking, 'Let me think.')
    const answered: Anthropic.MessageParam[] = [
      ...says('Look.'),
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_double' }] },
    ]
    await messages.create({ ...order, messages: answered })
    const sent = bench.doubles.anthropic.requests.at(-1)?.body as { messages: object[] }
    assert.deepEqual(JSON.stringify(sent.messages[1]).match(/"thinking":"[^"]*"/g), [
      '"thinking":"Let me think."',
    ])
    assert.match(JSON.stringify(sent.messages[1]), /"signature":"c2lnbmVkIGJ5IHRoZSBkb3VibGU="/)
    await messages.create({ ...order, model: 'test/local', messages: answered })
    assert.doesNotMatch(JSON.stringify(bench.doubles.openai.requests.at(-1)?.body), /c2lnbmVk/)
  }
})

test('marks for the cache and later instructions keep their places', async (t) => {
  const bench = await openGateway(t, { doubles: ['anthropic'], models })
  const { messages } = clientOf(bench, (await newCustomer(bench)).key)
  const hour = { type: 'ephemeral', ttl: '1h' } as const
  const minutes = { type: 'ephemeral' } as const
  await messages.create({
    model: 'test/anthropic',
    max_tokens: 50,
    system: [
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'Be kind.', cache_control: hour },
    ],
    tools: [{ ...tools[0], cache_control: hour } as Anthropic.Tool],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: minutes }] },
      { role: 'system', content: 'It is late.' },
      { role: 'assistant', content: 'Hello.' },
      ...says('Bye'),
    ],
  })
  const sent = bench.doubles.anthropic.requests.at(-1)?.body as Anthropic.MessageCreateParams
  assert.equal(sent.cache_control, undefined)
  assert.deepEqual(sent.system, [
    { type: 'text', text: 'Be brief.' },
    { type: 'text', text: 'Be kind.', cache_control: hour },
  ])
  assert.deepEqual(sent.tools?.[0]?.cache_control, hour)
  assert.deepEqual(sent.messages.slice(0, 2), [
    { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: minutes }] },
    { role: 'system', content: [{ type: 'text', text: 'It is late.' }] },
  ])
})

test('the result of a tool that printed nothing is marked for the cache itself', async (t) => {
  const bench = await openGateway(t, { doubles: ['anthropic'], models })
  const { messages } = clientOf(bench, (await newCustomer(bench)).key)
  const cache_control = { type: 'ephemeral' } as const
  for (const printed of [{}, { content: '' }, { content: [] }]) {
    const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', cache_control }
    await messages.create({
      ...{ model: 'test/anthropic', max_tokens: 50, tools },
      messages: [...looked.slice(0, 2), { role: 'user', content: [{ ...result, ...printed }] }],
    })
    const sent = bench.doubles.anthropic.requests.at(-1)?.body as Anthropic.MessageCreateParams
    assert.deepEqual(sent.messages.at(-1)?.content, [{ ...result, content: [] }])
  }
})

test("Anthropic's own tool runner keeps its history, though it begins with a thread", async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const client = clientOf(bench, (await newCustomer(bench)).key)
  const runner = client.beta.messages.toolRunner({
    model: 'test/local',
    max_tokens: 50,
    messages: says('Paris'),
    max_iterations: 4,
    tools: [
      {
        name: 'look',
        description: 'Looks.',
        input_schema: { type: 'object' },
        parse: (input: unknown) => input,
        run: async () => '{"result":"It rains."}',
      },
    ],
  })
  const last = await runner.runUntilDone()
  assert.match(JSON.stringify(last.content), /It rains/)
  const sent = JSON.stringify(bench.doubles.openai.requests.at(-1)?.body)
  assert.match(sent, /Paris/)
  const thread = { type: 'continue', previous_message_id: 'msg_1' }
  const refused = client.post('/v1/messages', {
    body: { model: 'test/local', max_tokens: 9, messages: says('And?'), thread },
  })
  await assert.rejects(refused, ({ status, errorCode }: { status: number; errorCode: string }) => {
    assert.deepEqual([status, errorCode], [400, 'thread_unsupported_request'])
    return true
  })
})

test('an unknown field is refused by name, and 150 tools are taken', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const client = clientOf(bench, (await newCustomer(bench)).key)
  const order = { model: 'test/local', max_tokens: 9, messages: says('Hi') }
  await assert.rejects(
    client.post('/v1/messages', { body: { ...order, something_new: 1 } }),
    /something_new is not a field that this API knows/,
  )
  const many = Array.from({ length: 150 }, (_, index) => ({ ...tools[0], name: `look_${index}` }))
  const { usage } = await client.messages.create({ ...order, tools: many as Anthropic.Tool[] })
  assert.ok(usage.input_tokens > 0)
  const begun = await Array.fromAsync(await client.messages.create({ ...order, stream: true }))
  const [start] = begun
  assert.ok(start?.type === 'message_start' && start.message.usage.input_tokens > 0)
})

test('the vendor of the model searches the web, which is paid; other models refuse it', async (t) => {
  const [, , anthropic, ...others] = models.models
  const searching = {
    ...anthropic,
    capabilities: { ...anthropic?.capabilities, webSearch: 'anthropic' },
    pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: 8, perSearch: 0.01 },
  }
  const bench = await openGateway(t, {
    doubles: ['anthropic', 'openai'],
    models: { models: [searching, ...others, ...models.models.slice(1, 2)] },
  })
  const { key, accountId } = await newCustomer(bench)
  const { messages } = clientOf(bench, key)
  const search: Anthropic.WebSearchTool20250305 = {
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: 2,
  }
  const order = { max_tokens: 50, messages: says('Search the web for rain'), tools: [search] }
  const whole = await messages.create({ ...order, model: 'test/anthropic' })
  const streamed = await messages.stream({ ...order, model: 'test/anthropic' }).finalMessage()
  for (const { content, usage } of [whole, streamed]) {
    assert.deepEqual(
      content.map(({ type }) => type),
      ['server_tool_use', 'web_search_tool_result', 'text'],
    )
    assert.equal(usage.server_tool_use?.web_search_requests, 1)
  }
  const sent = bench.doubles.anthropic.requests.at(-1)?.body as Anthropic.MessageCreateParams
  assert.deepEqual(sent.tools, [search])
  const conversation = [...order.messages, { role: 'assistant' as const, content: whole.content }]
  await messages.create({
    ...{ ...order, model: 'test/anthropic' },
    messages: [...conversation, ...says('And?')] as Anthropic.MessageParam[],
  })
  const again = bench.doubles.anthropic.requests.at(-1)?.body as Anthropic.MessageCreateParams
  assert.match(JSON.stringify(again.messages[1]), /"server_tool_use".*"web_search_tool_result"/)
  const rows = await eventually(
    async () => (await attempts(bench)).filter((row) => row.account_id === accountId),
    (all) => all.length === 3 && all.every(({ outcome }) => outcome === 'SUCCEEDED'),
  )
  for (const row of rows) assert.ok(Number(row.cost_micros) > 10_000, String(row.cost_micros))
  await assert.rejects(
    messages.create({ ...order, model: 'test/local' }),
    /cannot search the web through this API/,
  )
})
