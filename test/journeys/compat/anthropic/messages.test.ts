import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { databases } from '../../../support/databases.ts'
import { png } from '../../../support/samples.ts'
import { attempts, eventually, newCustomer } from '../../generation/setting.ts'
import { openGateway, says } from '../openai/setting.ts'

const clientOf = ({ url }: { url: string }, apiKey: string) =>
  new Anthropic({ baseURL: url, apiKey, authToken: null })

const providers = ['openai', 'local', 'anthropic', 'gemini'] as const
const doubleOf = (provider: (typeof providers)[number]) =>
  provider === 'local' ? 'openai' : provider

const tools: Anthropic.Tool[] = [
  { name: 'get_weather', description: 'Weather', input_schema: { type: 'object' } },
]

async function failureOf(call: Promise<unknown>) {
  try {
    await call
  } catch (error) {
    assert.ok(error instanceof Anthropic.APIError, String(error))
    const { error: said } = error.error as {
      error: { type: string; message: string; code: string }
    }
    return { status: error.status, ...said, error }
  }
  throw new Error('the call succeeded')
}

for (const { name: database } of databases) {
  describe(`messages on ${database}`, () => {
    for (const provider of providers) {
      const model = `test/${provider}`
      test(`from ${provider}, whole and streamed, are paid`, async (t) => {
        const bench = await openGateway(t, { doubles: [doubleOf(provider)], database })
        const { key, accountId } = await newCustomer(bench)
        const { messages } = clientOf(bench, key)
        const order = { model, max_tokens: 100, system: 'Be brief.', messages: says('Hello') }
        const whole = await messages.create(order)
        assert.deepEqual(
          whole.content.filter(({ type }) => type !== 'thinking'),
          [{ type: 'text', text: 'You said: Hello', citations: null }],
        )
        assert.deepEqual([whole.role, whole.stop_reason], ['assistant', 'end_turn'])
        const { usage } = whole
        const written = usage.cache_creation_input_tokens ?? 0
        assert.deepEqual(
          [usage.input_tokens + written, usage.cache_read_input_tokens, usage.output_tokens],
          [16, 5, 8],
        )
        assert.ok(whole._request_id)
        const stream = messages.stream(order)
        let pieces = 0
        stream.on('text', () => pieces++)
        const last = await stream.finalMessage()
        assert.equal(await stream.finalText(), 'You said: Hello')
        assert.ok(pieces > 1)
        assert.deepEqual([last.stop_reason, last.usage.output_tokens], ['end_turn', 8])
        const own = await eventually(
          async () => (await attempts(bench)).filter((row) => row.account_id === accountId),
          (rows) => rows.length === 2 && rows.every(({ outcome }) => outcome === 'SUCCEEDED'),
        )
        assert.deepEqual(
          own.map(({ attempt }) => `msg_${attempt}`).sort(),
          [whole.id, last.id].sort(),
        )
      })
    }
  })
}

for (const provider of providers) {
  const model = `test/${provider}`
  test(`a tool is asked for by ${provider} and answered, whole and streamed`, async (t) => {
    const bench = await openGateway(t, { doubles: [doubleOf(provider)] })
    const { messages } = clientOf(bench, (await newCustomer(bench)).key)
    for (const isStreamed of [false, true]) {
      const conversation: Anthropic.MessageParam[] = says('Paris')
      const order = { model, max_tokens: 100, tools, messages: conversation }
      const asked = isStreamed
        ? await messages.stream(order).finalMessage()
        : await messages.create(order)
      assert.equal(asked.stop_reason, 'tool_use')
      const use = asked.content.find((block) => block.type === 'tool_use')
      assert.deepEqual([use?.name, use?.input], ['get_weather', { words: 'Paris' }])
      const content = '{"result":"rain"}'
      conversation.push({ role: 'assistant', content: asked.content })
      conversation.push({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: use?.id ?? '', content }],
      })
      const last = await messages.create(order)
      assert.match(JSON.stringify(last.content), /rain/)
    }
    if (provider === 'gemini') {
      const sent = JSON.stringify(bench.doubles.gemini.requests.at(-1)?.body)
      assert.match(sent, /"thoughtSignature":"signed-by-double"/)
    }
  })
}

test('what a message holds and how it is to be answered reaches the provider', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { messages } = clientOf(bench, (await newCustomer(bench)).key)
  const data = png({ width: 4, height: 4 }).toString('base64')
  await messages.create({
    model: 'test/local',
    max_tokens: 50,
    stop_sequences: ['END'],
    tools,
    tool_choice: { type: 'tool', name: 'get_weather', disable_parallel_tool_use: true },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?', cache_control: { type: 'ephemeral' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
        ],
      },
    ],
  })
  const sent = bench.doubles.openai.requests.at(-1)?.body as Record<string, unknown>
  assert.match(JSON.stringify(sent.messages), /data:image\/png;base64/)
  assert.deepEqual([sent.max_tokens, sent.stop, sent.parallel_tool_calls], [50, ['END'], false])
  assert.deepEqual(sent.tool_choice, { type: 'function', function: { name: 'get_weather' } })
})

test('a limit above what a model can write is that of the model', async (t) => {
  const bench = await openGateway(t)
  const { messages } = clientOf(bench, (await newCustomer(bench)).key)
  const order = { model: 'demo-text', max_tokens: 20_000, messages: says('What is 12% of 250?') }
  assert.match(JSON.stringify((await messages.create(order)).content), /12% of 250 = 30/)
})

test('a client of Anthropic lists models and counts tokens', async (t) => {
  const bench = await openGateway(t)
  const client = clientOf(bench, (await newCustomer(bench)).key)
  const models = await Array.fromAsync(client.models.list())
  assert.ok(models.some(({ id, type }) => id === 'demo-text' && type === 'model'))
  const asked = { model: 'demo-text', system: 'Be brief.', messages: says('one two three four') }
  const { input_tokens } = await client.messages.countTokens(asked)
  assert.ok(input_tokens >= 6 && input_tokens <= 12, String(input_tokens))
})

test('models and unknown addresses are answered in the form of Anthropic', async (t) => {
  const bench = await openGateway(t)
  const client = clientOf(bench, (await newCustomer(bench)).key)
  const { id, type } = await client.models.retrieve('demo-text')
  assert.deepEqual([id, type], ['demo-text', 'model'])
  assert.equal((await failureOf(client.models.retrieve('nobody'))).type, 'not_found_error')
  assert.equal((await failureOf(client.get('/v1/messages/x'))).type, 'not_found_error')
})

test('credentials', async (t) => {
  const bench = await openGateway(t)
  const { key } = await newCustomer(bench)
  const path = '/v1/messages'
  const json = { model: 'demo-text', max_tokens: 9, messages: says('Hi') }
  const ask = (headers: Record<string, string>) =>
    bench.call({ method: 'POST', path, json, key: null, headers })
  const bearer = `Bearer ${key}`
  assert.equal((await ask({ 'x-api-key': key })).status, 200)
  assert.equal((await ask({ authorization: bearer })).status, 200)
  assert.equal((await ask({ authorization: bearer, 'x-api-key': key })).status, 200)
  const different = await ask({ authorization: bearer, 'x-api-key': 'sk_other' })
  const none = await ask({})
  for (const { status, body } of [different, none]) {
    assert.deepEqual([status, body.type, body.error.type], [401, 'error', 'authentication_error'])
    assert.ok(body.request_id)
  }
  const headers = { 'x-api-key': key }
  const list = await bench.call({ path: '/v1/models', key: null, headers })
  assert.deepEqual([list.status, list.body.data[0].type], [200, 'model'])
  const elsewhere = await bench.call({
    ...{ method: 'POST', path: '/v1/chat/completions', json, key: null, headers },
  })
  assert.equal(elsewhere.status, 401)
})

test('what is wrong is named in the form of Anthropic', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], env: { RATE_LIMIT_CHAT: '40' } })
  const { key } = await newCustomer(bench)
  const { messages } = clientOf(bench, key).withOptions({ maxRetries: 0 })
  const use = { type: 'tool_use', id: 'a', name: 'f', input: {} }
  const result = { type: 'tool_result', tool_use_id: 'a', content: 'x' }
  const user = (...content: object[]) => ({ role: 'user', content })
  const bad: [object, number, RegExp][] = [
    [{ model: 'nobody' }, 404, /nobody/],
    [{ model: 'demo-image' }, 400, /IMAGE/],
    [{ max_tokens: undefined }, 400, /^max_tokens/],
    [{ max_tokens: 0 }, 400, /^max_tokens/],
    [{ messages: [] }, 400, /^messages/],
    [{ messages: [{ role: 'king', content: 'x' }] }, 400, /^messages\.0\.role/],
    [{ messages: [user({ type: 'document' })] }, 400, /^messages\.0\.content\.0/],
    [{ messages: [user(result)] }, 400, /^messages\.0\.content\.0\.tool_use_id/],
    [{ messages: [{ role: 'assistant', content: [use] }] }, 400, /^messages/],
    [{ messages: [{ role: 'assistant', content: [use, use] }] }, 400, /content\.1\.id/],
    [
      { messages: [{ role: 'assistant', content: [use] }, user({ type: 'text', text: 'x' })] },
      400,
      /^messages\.1/,
    ],
    [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 400, /^tools\.0\.type/],
    [{ tools: [{ name: 'f' }] }, 400, /^tools\.0\.input_schema/],
    [{ tool_choice: { type: 'tool', name: 'f' } }, 400, /^tool_choice/],
    [{ top_k: 5 }, 400, /^top_k/],
    [{ top_p: 5 }, 400, /^top_p/],
    [{ stop_sequences: [''] }, 400, /^stop_sequences/],
    [{ system: [{ type: 'image' }] }, 400, /^system\.0/],
    [{ output_config: { effort: 'huge' } }, 400, /^output_config\.effort/],
    [{ output_config: { format: { type: 'xml' } } }, 400, /^output_config\.format/],
  ]
  for (const [extra, status, message] of bad) {
    const asked = { model: 'test/local', max_tokens: 9, messages: says('Hi'), ...extra }
    const failed = await failureOf(messages.create(asked as never))
    assert.equal(failed.status, status)
    assert.equal(failed.type, status === 404 ? 'not_found_error' : 'invalid_request_error')
    assert.match(failed.message, message)
    assert.ok(failed.error.requestID)
  }
  const { openai } = bench.doubles
  assert.equal(openai.counts.chat, 0)
  const ask = () => messages.create({ model: 'test/local', max_tokens: 9, messages: says('Hi') })
  openai.script('chat', { do: 'refuse', status: 503 }, { do: 'refuse', status: 500 })
  assert.deepEqual((await failureOf(ask())).type, 'overloaded_error')
  assert.deepEqual((await failureOf(ask())).type, 'api_error')
  openai.script('chat', { do: 'break', after: 3, by: 'error' })
  const stream = messages.stream({ model: 'test/local', max_tokens: 9, messages: says('Hi') })
  await assert.rejects(stream.finalMessage(), Anthropic.APIError)
  const limited = await eventually(
    async () =>
      messages.create({ model: 'demo-text', max_tokens: 9, messages: says('Hi') }).then(
        () => null,
        (error: InstanceType<typeof Anthropic.APIError>) => error.status,
      ),
    (status) => status !== null,
  )
  assert.equal(limited, 429)
})
