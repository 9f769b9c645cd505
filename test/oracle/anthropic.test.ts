// Our requests and readings of Anthropic's messages API, judged by its official SDK: its types,
// and what it sends itself.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { createAnthropicProvider } from '#providers/anthropic/adapter.ts'
import { asked, hello, intents, result, searchTool, weather } from './anthropic-intents.ts'
import { adapterAt, startRecorder } from './recorder.ts'

const apiKey = 'sk-ant-oracle'
type Params = Anthropic.MessageCreateParamsNonStreaming

async function stand(t: TestContext) {
  const recorder = await startRecorder(t)
  const sdk = new Anthropic({ apiKey, baseURL: recorder.url, maxRetries: 0 })
  const adapter = adapterAt(
    t,
    createAnthropicProvider({ name: 'anthropic', apiKey, baseUrl: recorder.url }),
  )
  return { recorder, sdk, adapter }
}

describe('a request to Anthropic', () => {
  for (const [what, { ours, theirs }] of Object.entries(intents)) {
    test(`for ${what} is what the SDK sends`, async (t) => {
      const { recorder, sdk, adapter } = await stand(t)
      const expected = await recorder.sentBy(() => sdk.messages.create(theirs))
      const sent = await recorder.sentBy(() => adapter.whole(ours))
      assert.deepEqual(sent.body, expected.body)
      assert.equal(`${sent.method} ${sent.path}`, `${expected.method} ${expected.path}`)
      for (const name of ['anthropic-version', 'authorization', 'content-type']) {
        assert.equal(sent.headers[name], expected.headers[name], name)
      }
      const streamed = await recorder.sentBy(() => adapter.pieces(ours))
      assert.deepEqual(streamed.body, { ...theirs, stream: true })
    })
  }

  test('with a temperature, which this version knows none of, is not sent', async (t) => {
    const { recorder, adapter } = await stand(t)
    for (const chosen of [{ temperature: 0.2 }, { topP: 0.5 }]) {
      const call = adapter.whole({ model: 'claude-opus-5-5', messages: [hello], ...chosen })
      await assert.rejects(call, { kind: 'invalid', outcome: 'not_sent' })
    }
    assert.equal(recorder.requests.length, 0)
  })
})

const usage: Anthropic.Usage = {
  input_tokens: 12,
  cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 0 },
  cache_creation_input_tokens: 4,
  cache_read_input_tokens: 5,
  output_tokens: 8,
  output_tokens_details: { thinking_tokens: 3 },
  inference_geo: null,
  server_tool_use: null,
  service_tier: 'standard',
  speed: null,
}
const counted = {
  inputTokens: 21,
  outputTokens: 8,
  cachedInputTokens: 5,
  cacheWriteTokens: 4,
  reasoningTokens: 3,
}

const message = (rest: Partial<Anthropic.Message>): Anthropic.Message => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5-5',
  container: null,
  diagnostics: null,
  content: [],
  stop_reason: 'end_turn',
  stop_sequence: null,
  stop_details: null,
  usage,
  ...rest,
})

const thought: Anthropic.ThinkingBlock = {
  type: 'thinking',
  thinking: 'Rome, then.',
  signature: 'c2lnbmVk',
}
const hidden: Anthropic.RedactedThinkingBlock = { type: 'redacted_thinking', data: 'b3BhcXVl' }
const call: Anthropic.ToolUseBlock = {
  type: 'tool_use',
  id: 'toolu_1',
  name: 'weather',
  input: { town: 'Rome' },
  caller: { type: 'direct' },
}

/** The same answer as a stream, event by event as the SDK's types name them. */
function streamOf(whole: Anthropic.Message): Anthropic.RawMessageStreamEvent[] {
  const events: Anthropic.RawMessageStreamEvent[] = [
    { type: 'message_start', message: { ...whole, content: [], stop_reason: null } },
  ]
  for (const [index, block] of whole.content.entries()) {
    const add = (delta: Anthropic.RawContentBlockDelta) =>
      events.push({ type: 'content_block_delta', index, delta })
    if (block.type === 'text') {
      const start = { ...block, text: '' }
      events.push({ type: 'content_block_start', index, content_block: start })
      for (const text of block.text.match(/.{1,3}/g) ?? []) add({ type: 'text_delta', text })
    } else if (block.type === 'thinking') {
      const start = { ...block, thinking: '', signature: '' }
      events.push({ type: 'content_block_start', index, content_block: start })
      for (const thinking of block.thinking.match(/.{1,4}/g) ?? [])
        add({ type: 'thinking_delta', thinking })
      add({ type: 'signature_delta', signature: block.signature })
    } else if (block.type === 'tool_use') {
      events.push({ type: 'content_block_start', index, content_block: { ...block, input: {} } })
      add({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) })
    } else events.push({ type: 'content_block_start', index, content_block: block })
    events.push({ type: 'content_block_stop', index })
  }
  const { stop_reason, stop_sequence, stop_details, container } = whole
  const delta = { stop_reason, stop_sequence, stop_details, container }
  events.push({ type: 'message_delta', delta, usage })
  events.push({ type: 'message_stop' })
  return events
}

const sse = (whole: Anthropic.Message) => ({
  events: streamOf(whole).map((data) => ({ event: data.type, data })),
})

describe('an answer of Anthropic', () => {
  test('in words gives its text and counts, whole and streamed', async (t) => {
    const { recorder, adapter } = await stand(t)
    const said = message({
      content: [thought, { type: 'text', text: 'Hi there', citations: null }],
    })
    recorder.answer({ json: said, headers: { 'request-id': 'req_1' } })
    assert.deepEqual(await adapter.whole({ model: 'm', messages: [hello] }), {
      text: 'Hi there',
      thoughts: [{ text: thought.thinking, signature: `anthropic.${thought.signature}` }],
      finish: 'stop',
      usage: counted,
      requestId: 'req_1',
      answeredBy: said.model,
    })
    recorder.answer(sse(said))
    const deltas = await adapter.pieces({ model: 'm', messages: [hello] })
    const text = deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('')
    assert.equal(text, 'Hi there')
    const thoughts = deltas.filter((delta) => delta.type === 'thought')
    assert.equal(thoughts.map(({ text }) => text).join(''), thought.thinking)
    assert.equal(thoughts.at(-1)?.signature, `anthropic.${thought.signature}`)
    assert.deepEqual(
      deltas.findLast(({ type }) => type === 'usage'),
      {
        type: 'usage',
        usage: counted,
      },
    )
    assert.deepEqual(deltas.at(-1), { type: 'end', finish: 'stop', answeredBy: said.model })
  })

  test('that calls a function carries its thoughts, and gives them back unchanged', async (t) => {
    const { recorder, adapter } = await stand(t)
    const asks = message({ content: [thought, hidden, call], stop_reason: 'tool_use' })
    recorder.answer({ json: asks })
    const whole = await adapter.whole({ model: 'm', messages: [hello], tools: [weather] })
    recorder.answer(sse(asks))
    const deltas = await adapter.pieces({ model: 'm', messages: [hello], tools: [weather] })
    const begun = deltas.find((delta) => delta.type === 'tool_call')
    const { toolCalls = [], thoughts } = whole
    assert.deepEqual(toolCalls, [asked])
    assert.deepEqual(begun, { type: 'tool_call', index: 0, id: asked.id, name: asked.name })
    const calling = { role: 'assistant' as const, content: '', toolCalls, thoughts }
    const turns = [hello, calling, result]
    const sent = await recorder.sentBy(() =>
      adapter.whole({ model: 'm', messages: turns, tools: [weather] }),
    )
    const { messages } = sent.body as Params
    const { caller: _, ...use } = call
    assert.deepEqual(messages[1], { role: 'assistant', content: [thought, hidden, use] })
  })

  test('that searched the web keeps what it found, and is counted', async (t) => {
    const { recorder, adapter } = await stand(t)
    const use: Anthropic.ServerToolUseBlock = {
      ...{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search' },
      ...{ input: { query: 'rain' }, caller: { type: 'direct' } },
    }
    const found: Anthropic.WebSearchToolResultBlock = {
      ...{ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', caller: { type: 'direct' } },
      content: [
        {
          ...{ type: 'web_search_result', url: 'https://example.com/', title: 'Rain' },
          ...{ encrypted_content: 'sealed', page_age: null },
        },
      ],
    }
    const text: Anthropic.TextBlock = { type: 'text', text: 'It rains.', citations: null }
    const said = message({
      content: [use, found, text],
      usage: { ...usage, server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } },
    })
    recorder.answer({ json: said })
    const webSearch = { form: 'anthropic' as const, tool: searchTool, most: 3 }
    const whole = await adapter.whole({ model: 'm', messages: [hello], webSearch })
    assert.deepEqual(
      whole.hosted?.map(({ item }) => item),
      said.content,
    )
    assert.deepEqual([whole.text, whole.usage], ['It rains.', { ...counted, searches: 1 }])
    recorder.answer(sse(said))
    const deltas = await adapter.pieces({ model: 'm', messages: [hello], webSearch })
    assert.deepEqual(
      deltas.filter(({ type }) => type === 'hosted'),
      [use, found].map((item) => ({ type: 'hosted', form: 'anthropic', item })),
    )
  })

  test('that was refused says why', async (t) => {
    const { recorder, adapter } = await stand(t)
    const stop_details: Anthropic.RefusalStopDetails = {
      type: 'refusal',
      category: 'cyber',
      explanation: 'This could enable cyber harm.',
    }
    const refused = message({ stop_reason: 'refusal', stop_details })
    recorder.answer({ json: refused })
    const whole = await adapter.whole({ model: 'm', messages: [hello] })
    assert.equal(whole.finish, 'content_filter')
    assert.match(whole.refusal ?? '', /cyber/)
    recorder.answer(sse(refused))
    const end = (await adapter.pieces({ model: 'm', messages: [hello] })).at(-1)
    const { finish, refusal } = whole
    assert.deepEqual(end, { type: 'end', finish, refusal, answeredBy: refused.model })
  })

  test('that was cut is told as cut', async (t) => {
    const { recorder, adapter } = await stand(t)
    for (const stop_reason of ['max_tokens', 'model_context_window_exceeded'] as const) {
      recorder.answer({ json: message({ stop_reason }) })
      assert.equal((await adapter.whole({ model: 'm', messages: [hello] })).finish, 'length')
    }
  })

  test('that is an error is told as one', async (t) => {
    const { recorder, adapter } = await stand(t)
    const cases: [number, Anthropic.ErrorObject['type'], string, string][] = [
      [400, 'invalid_request_error', 'invalid', 'rejected'],
      [401, 'authentication_error', 'auth', 'rejected'],
      [403, 'permission_error', 'auth', 'rejected'],
      [404, 'not_found_error', 'not_found', 'rejected'],
      [429, 'rate_limit_error', 'busy', 'rejected'],
      [500, 'api_error', 'server', 'unknown'],
      [504, 'timeout_error', 'timeout', 'unknown'],
      [529, 'overloaded_error', 'busy', 'rejected'],
    ]
    for (const [status, type, kind, outcome] of cases) {
      const json = { type: 'error', error: { type, message: 'no' }, request_id: 'req_1' }
      recorder.answer({ status, json })
      const failed = adapter.whole({ model: 'm', messages: [hello] })
      await assert.rejects(failed, { kind, outcome }, `${status} ${type}`)
    }
  })
})
