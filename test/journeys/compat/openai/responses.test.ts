import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import OpenAI from 'openai'
import { databases } from '../../../support/databases.ts'
import { png } from '../../../support/samples.ts'
import { callServer } from '../../../support/server.ts'
import { attempts, eventually, newCustomer } from '../../generation/setting.ts'
import { clientOf, failureOf, openGateway, streamingModels } from './setting.ts'

const tools: OpenAI.Responses.FunctionTool[] = [
  { type: 'function', name: 'get_weather', strict: false, parameters: { type: 'object' } },
]

const callIn = (items: readonly { type: string }[]) =>
  items.find((item) => item.type === 'function_call') as
    | OpenAI.Responses.ResponseFunctionToolCall
    | undefined

for (const { name: database } of databases) {
  describe(`responses on ${database}`, () => {
    for (const provider of ['openai', 'local', 'anthropic', 'gemini'] as const) {
      const model = `test/${provider}`
      const double = provider === 'local' ? 'openai' : provider

      test(`from ${provider}, whole and streamed, are paid`, async (t) => {
        const bench = await openGateway(t, { doubles: [double], database })
        const { key, accountId } = await newCustomer(bench)
        const { responses } = clientOf(bench, key)
        const whole = await responses.create({
          model,
          instructions: 'Be brief.',
          input: 'Hello',
          metadata: { run: '7' },
        })
        assert.equal(whole.output_text, 'You said: Hello')
        assert.equal(whole.status, 'completed')
        assert.deepEqual(whole.metadata, { run: '7' })
        assert.equal(whole.usage?.input_tokens, 21)
        assert.equal(whole.usage?.input_tokens_details.cached_tokens, 5)
        assert.equal(whole.usage?.total_tokens, 29)

        const stream = responses.stream({ model, input: 'Hello' })
        const seen: string[] = []
        let text = ''
        for await (const event of stream) {
          seen.push(event.type)
          if (event.type === 'response.output_text.delta') text += event.delta
        }
        const last = await stream.finalResponse()
        assert.equal(text, 'You said: Hello')
        assert.equal(last.output_text, text)
        assert.equal(seen[0], 'response.created')
        assert.equal(seen.at(-1), 'response.completed')
        assert.ok(seen.filter((type) => type === 'response.output_text.delta').length > 1)
        const own = await eventually(
          async () => (await attempts(bench)).filter((row) => row.account_id === accountId),
          (rows) => rows.length === 2 && rows.every(({ outcome }) => outcome === 'SUCCEEDED'),
        )
        assert.deepEqual(
          own.map(({ attempt }) => `resp_${attempt}`).sort(),
          [whole.id, last.id].sort(),
        )
      })
    }
  })
}

for (const provider of ['openai', 'local', 'anthropic', 'gemini'] as const) {
  const model = `test/${provider}`
  test(`a function is asked for by ${provider} and answered, whole and streamed`, async (t) => {
    const double = provider === 'local' ? 'openai' : provider
    const bench = await openGateway(t, { doubles: [double] })
    const { responses } = clientOf(bench, (await newCustomer(bench)).key)
    for (const isStreamed of [false, true]) {
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Paris' }]
      const asked = isStreamed
        ? await responses.stream({ model, input, tools }).finalResponse()
        : await responses.create({ model, input, tools })
      const call = callIn(asked.output)
      assert.equal(call?.name, 'get_weather')
      assert.deepEqual(JSON.parse(call?.arguments ?? ''), { words: 'Paris' })
      // Sent back as the official guides do: every item of the answer, then the result.
      for (const { parsed, ...item } of asked.output as (OpenAI.Responses.ResponseInputItem & {
        parsed?: unknown
      })[]) {
        input.push(item as OpenAI.Responses.ResponseInputItem)
      }
      const output = '{"result":"rain"}'
      input.push({ type: 'function_call_output', call_id: call?.call_id ?? '', output })
      const last = await responses.create({ model, input, tools })
      assert.match(last.output_text, /rain/)
    }
    if (provider === 'gemini') {
      const sent = JSON.stringify(bench.doubles.gemini.requests.at(-1)?.body)
      assert.match(sent, /"thoughtSignature":"signed-by-double"/)
    }
  })
}

test('pictures and forms of an answer reach the provider', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { responses } = clientOf(bench, (await newCustomer(bench)).key)
  const image_url = `data:image/png;base64,${png({ width: 4, height: 4 }).toString('base64')}`
  await responses.create({
    model: 'test/local',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url, detail: 'low' },
        ],
      },
    ],
    text: { format: { type: 'json_object' } },
    max_output_tokens: 50,
    temperature: 0.5,
    top_p: 0.5,
  })
  const sent = bench.doubles.openai.requests.at(-1)?.body as Record<string, unknown>
  assert.match(JSON.stringify(sent.messages), /data:image\/png;base64/)
  assert.deepEqual(
    [sent.response_format, sent.max_tokens, sent.temperature, sent.top_p],
    [{ type: 'json_object' }, 50, 0.5, 0.5],
  )
})

test('a stream of events that breaks ends with an error of the client', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { responses } = clientOf(bench, (await newCustomer(bench)).key)
  bench.doubles.openai.script('chat', { do: 'break', after: 4, by: 'error' })
  await assert.rejects(
    async () =>
      Array.fromAsync(
        await responses.create({ model: 'test/openai', input: 'Hello', stream: true }),
      ),
    (error) => error instanceof OpenAI.APIError && error.code === 'PROVIDER_ERROR',
  )
})

test('a stream of events that breaks ends with a response that failed, as agents want it', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { key } = await newCustomer(bench)
  const json = { model: 'test/local', input: 'Hello', stream: true }
  const ended = async () => {
    const { text } = await callServer(bench.url, key, {
      method: 'POST',
      path: '/v1/responses',
      json,
    })
    const events = text.split('\n').flatMap((line) => /^data: (.*)/.exec(line)?.[1] ?? [])
    return events.map((event) => JSON.parse(event) as OpenAI.Responses.ResponseStreamEvent)
  }
  bench.doubles.openai.script('chat', { do: 'break', after: 4, by: 'error' })
  const events = await ended()
  assert.deepEqual(
    events.map(({ sequence_number }) => sequence_number),
    events.map((_, place) => place),
  )
  const [error, last] = events.slice(-2)
  assert.equal(error?.type, 'error')
  assert.ok(last?.type === 'response.failed')
  assert.equal(last.response.status, 'failed')
  assert.equal(last.response.error?.code, 'server_error')
  assert.match(last.response.error?.message ?? '', /^local: /)
  const silent = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  bench.doubles.openai.script('chat', {
    ...{ do: 'say', status: 200, headers: { 'content-type': 'text/event-stream' } },
    body: Buffer.from(`data: ${JSON.stringify(silent)}\n\n`),
  })
  const empty = (await ended()).at(-1)
  assert.ok(empty?.type === 'response.failed')
  assert.equal(empty.response.error?.code, 'invalid_prompt')
})

test('a search that an agent adds is left out with a note, unless the vendor makes it', async (t) => {
  const [openai] = streamingModels.models
  const pricing = { inputPerMillionTokens: 2, outputPerMillionTokens: 8, perSearch: 0.01 }
  const capabilities = { inputModalities: ['text'], webSearch: 'openai' }
  const searching = { ...openai, id: 'test/searching', capabilities, pricing }
  const models = { models: [...streamingModels.models, searching] }
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { key, accountId } = await newCustomer(bench)
  const { responses } = clientOf(bench, key)
  const search = { type: 'web_search' as const, external_web_access: false }
  const sent = () => bench.doubles.openai.requests.at(-1)?.body as Record<string, unknown>
  const without = await responses
    .create({ model: 'test/openai', input: 'Hi', tools: [...tools, search] })
    .asResponse()
  assert.match(without.headers.get('x-atelier-notes') ?? '', /web_search/)
  assert.doesNotMatch(JSON.stringify(sent().tools), /web_search/)

  const cited = {
    type: 'url_citation',
    url: 'https://x.test/',
    title: 'X',
    start_index: 0,
    end_index: 4,
  }
  const said = { type: 'output_text', text: 'Rain', annotations: [cited], logprobs: [] }
  const output = [
    {
      id: 'ws_1',
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: 'x' },
    },
    { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [said] },
  ]
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
  const body = { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output, usage }
  bench.doubles.openai.script('chat', { do: 'say', status: 200, body })
  const found = await responses.create({ model: 'test/searching', input: 'Hi', tools: [search] })
  assert.deepEqual(sent().tools, [search])
  assert.deepEqual(
    found.output.map(({ type }) => type),
    ['web_search_call', 'message'],
  )
  assert.deepEqual(found.output[1]?.type === 'message' && found.output[1].content, [said])
  const paid = (await attempts(bench)).filter((row) => row.account_id === accountId).at(-1)
  assert.equal(Number(paid?.cost_micros), 10_000 + 10 * 2 + 5 * 8)
  // The search comes back as one of the items, and the conversation goes on.
  await responses.create({ model: 'test/openai', input: 'Sure?', previous_response_id: found.id })
  assert.match(JSON.stringify(sent()), /Rain.*Sure/)
})

test('what a response cannot be asked for is named', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { responses } = clientOf(bench, (await newCustomer(bench)).key)
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
  const result = { type: 'function_call_output', call_id: 'a', output: 'x' }
  const bad: [object, number, string, string][] = [
    [{ model: 'nobody' }, 404, 'MODEL_NOT_FOUND', 'model'],
    [{ model: 'demo-image' }, 400, 'MODEL_KIND_MISMATCH', 'model'],
    [
      { previous_response_id: 'resp_1' },
      400,
      'previous_response_not_found',
      'previous_response_id',
    ],
    [{ conversation: 'conv_1' }, 400, 'UNSUPPORTED_PARAMETER', 'conversation'],
    [{ background: true }, 400, 'UNSUPPORTED_PARAMETER', 'background'],
    [{ tools: [{ type: 'web_search' }] }, 400, 'UNSUPPORTED_PARAMETER', 'tools'],
    [{ tools: [{ type: 'mcp' }] }, 400, 'UNSUPPORTED_PARAMETER', 'tools[0].type'],
    [{ tools: [{ type: 'function' }] }, 400, 'INVALID_REQUEST', 'tools[0].name'],
    [{ tool_choice: { type: 'function', name: 'f' } }, 400, 'INVALID_REQUEST', 'tool_choice'],
    [{ text: { format: { type: 'xml' } } }, 400, 'UNSUPPORTED_PARAMETER', 'text.format.type'],
    [{ something_new: 1 }, 400, 'UNSUPPORTED_PARAMETER', 'something_new'],
    [{ text: 7 }, 400, 'INVALID_REQUEST', 'text'],
    [{ reasoning: { effort: 'huge' } }, 400, 'INVALID_REQUEST', 'reasoning.effort'],
    [{ input: '' }, 400, 'INVALID_REQUEST', 'input'],
    [{ input: [] }, 400, 'INVALID_REQUEST', 'input'],
    [{ input: [7] }, 400, 'INVALID_REQUEST', 'input[0]'],
    [{ input: [{ role: 'king', content: 'x' }] }, 400, 'INVALID_REQUEST', 'input[0].role'],
    [{ input: [{ type: 'item_reference', id: 'x' }] }, 404, 'RECORD_NOT_FOUND', 'input'],
    [{ input: [{ type: 'computer_call' }] }, 400, 'UNSUPPORTED_PARAMETER', 'input[0].type'],
    [{ input: [call] }, 400, 'INVALID_REQUEST', 'input'],
    [{ input: [result] }, 400, 'INVALID_REQUEST', 'input[0].call_id'],
    [{ input: [call, call] }, 400, 'INVALID_REQUEST', 'input[1].call_id'],
    [{ input: [call, { role: 'user', content: 'x' }, result] }, 400, 'INVALID_REQUEST', 'input[1]'],
  ]
  for (const [extra, status, code, param] of bad) {
    const asked = { model: 'test/openai', input: 'Hi', ...extra }
    const failed = await failureOf(responses.create(asked as never))
    assert.deepEqual([failed.status, failed.code, failed.param], [status, code, param])
  }
  assert.equal(bench.doubles.openai.counts.chat, 0)
})
