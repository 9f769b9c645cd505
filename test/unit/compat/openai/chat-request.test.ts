import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readChatRequest } from '#compat/openai/chat-request.ts'
import { RawParts } from '#core/chat-content.ts'
import { Failure } from '#core/errors.ts'
import { rounds } from '../../../support/rounds.ts'

const user = { role: 'user', content: 'Hi' }
const read = (extra: object) => readChatRequest({ model: 'm', messages: [user], ...extra })

function paramOf(body: unknown): unknown {
  try {
    readChatRequest(body)
  } catch (failure) {
    if (failure instanceof Failure && failure.status === 400) return failure.details?.param
    throw failure
  }
  throw new Error('it was accepted')
}

const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
const asked = { role: 'assistant', content: null, tool_calls: [call] }
const result = { role: 'tool', tool_call_id: 'c1', content: 'ok' }
const tool = { type: 'function', function: { name: 'f' } }
const plain = (text: string) => ({ type: 'text' as const, text })

describe('a chat request', () => {
  test('keeps to what it means, by its newer names and its older ones', () => {
    const { call, isStream } = read({ max_tokens: 7, temperature: 0.2, stream: null })
    assert.deepEqual(call, { modelId: 'm', messages: [user], maxTokens: 7, temperature: 0.2 })
    assert.equal(isStream, false)
    assert.equal(read({ max_completion_tokens: 8, max_tokens: 8 }).call.maxTokens, 8)
    assert.equal(read({ response_format: { type: 'json_object' } }).call.responseFormat, 'json')
  })

  test('says where to stop by one text or up to four, and how many words to choose from', () => {
    assert.deepEqual(read({ stop: 'END' }).call.stop, ['END'])
    assert.deepEqual(read({ stop: ['a', 'b', 'c', '\n'] }).call.stop, ['a', 'b', 'c', '\n'])
    assert.equal(read({ top_p: 0.5 }).call.topP, 0.5)
    assert.equal(read({ top_p: 0 }).call.topP, 0)
  })

  test('passes on nothing where stop and top_p are as usual', () => {
    for (const stop of [null, '', []]) {
      assert.deepEqual(read({ stop, top_p: 1 }).call, { modelId: 'm', messages: [user] })
    }
  })

  test('takes a conversation with functions in it', () => {
    const { call: read } = readChatRequest({
      model: 'm',
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
        user,
        asked,
        result,
        { role: 'assistant', content: 'done' },
      ],
      tools: [tool],
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
    })
    assert.deepEqual(read.messages, [
      { role: 'system', content: 'Be brief.' },
      user,
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'f', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'c1', content: 'ok' },
      { role: 'assistant', content: 'done' },
    ])
    assert.deepEqual(read.tools, [{ name: 'f' }])
    assert.deepEqual(read.toolChoice, { name: 'f' })
    assert.equal(read.parallelToolCalls, false)
  })

  test('may carry what changes nothing', () => {
    read({
      n: 1,
      top_p: 1,
      stop: null,
      logprobs: false,
      presence_penalty: 0,
      logit_bias: {},
      modalities: ['text'],
      user: 'u',
      metadata: {},
      store: false,
      service_tier: 'auto',
      seed: 4,
    })
  })

  test('may carry what clients of other servers and gateways send to every server', () => {
    const part = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } }
    const thought = { reasoning_content: 'Hm', reasoning_details: [{}], thinking_blocks: [{}] }
    const { call, includeUsage } = read({
      messages: [
        { role: 'user', content: [part], name: 'ada' },
        { role: 'assistant', content: 'Hello', annotations: [], ...thought },
        user,
      ],
      tools: [{ ...tool, cache_control: { type: 'ephemeral' } }],
      reasoning: { effort: 'high', exclude: true },
      usage: { include: true },
      top_k: -1,
      min_p: 0,
      provider: {},
      plugins: [],
      transforms: ['middle-out'],
      keep_alive: '5m',
      litellm_metadata: { a: 1 },
      stream: true,
    })
    assert.deepEqual(call.messages[0]?.content, new RawParts([{ ...plain('Hi'), cache: '1h' }]))
    assert.equal(call.tools?.[0]?.cache, '5m')
    assert.deepEqual([call.reasoningEffort, call.showThoughts], ['high', false])
    assert.equal(includeUsage, true)
    for (const off of [
      { enable_thinking: false },
      { thinking: { type: 'disabled' } },
      { chat_template_kwargs: { enable_thinking: false } },
    ]) {
      assert.equal(read(off).call.reasoningEffort, 'none')
    }
  })

  test('shows a PDF as a document, a text as text, and what a function returned as parts', () => {
    const pdf = 'data:application/pdf;base64,JVBERi0='
    const file = (fields: object) => ({ type: 'file', file: fields })
    const image = { type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } }
    const written = `data:text/csv;base64,${Buffer.from('a,b').toString('base64')}`
    const { messages } = read({
      messages: [
        {
          role: 'user',
          content: [
            file({ file_data: pdf, filename: 'a.pdf' }),
            file({ file_data: written, filename: 'b.csv' }),
          ],
        },
        asked,
        { ...result, content: [plain('Look'), image] },
      ],
    }).call
    assert.deepEqual(
      messages.map(({ content }) => (content instanceof RawParts ? content.parts : content)),
      [
        [{ type: 'document', url: pdf, name: 'a.pdf' }, plain('b.csv\na,b')],
        '',
        [plain('Look'), { type: 'image_url', url: 'https://x.test/a.png' }],
      ],
    )
  })

  test('may have tools whose input is plain text, and may allow only some of its tools', () => {
    const grammar = { definition: 'start: "x"', syntax: 'lark' }
    const custom = { name: 'patch', format: { type: 'grammar', grammar } }
    const { call, forms } = read({
      messages: [
        user,
        {
          role: 'assistant',
          tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'patch', input: 'x "y"' } }],
        },
        result,
      ],
      tools: [tool, { type: 'custom', custom }],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'custom', custom: { name: 'patch' } }] },
      },
    })
    const [said] = call.messages.flatMap((one) =>
      one.role === 'assistant' ? (one.toolCalls ?? []) : [],
    )
    assert.deepEqual([said?.name, said?.arguments], ['patch', '{"input":"x \\"y\\""}'])
    assert.deepEqual(
      call.tools?.map(({ name }) => name),
      ['patch'],
    )
    assert.match(call.tools?.[0]?.description ?? '', /start: "x"/)
    assert.equal(call.toolChoice, 'required')
    assert.equal(forms.get('patch')?.kind, 'custom')
  })

  const wrong: [string, object][] = [
    ['n', { n: 129 }],
    ['top_p', { top_p: 1.01 }],
    ['top_p', { top_p: -0.1 }],
    ['top_p', { top_p: '0.5' }],
    ['stop', { stop: ['a', 'b', 'c', 'd', 'e'] }],
    ['stop', { stop: { a: 'END' } }],
    ['stop', { stop: 7 }],
    ['stop[1]', { stop: ['END', ''] }],
    ['stop[0]', { stop: [7] }],
    ['logit_bias', { logit_bias: { 50: 101 } }],
    ['audio', { audio: { voice: 'x' } }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['functions', { functions: [] }],
    ['reasoning_effort', { reasoning_effort: 'huge' }],
    ['response_format.type', { response_format: { type: 'grammar' } }],
    ['something_new', { something_new: { a: 1 } }],
    ['top_k', { top_k: 40 }],
    ['provider', { provider: { data_collection: 'deny' } }],
    ['messages[0].prefix', { messages: [{ role: 'assistant', content: 'Once', prefix: true }] }],
    [
      'response_format.json_schema.name',
      { response_format: { type: 'json_schema', json_schema: {} } },
    ],
    ['max_tokens', { max_tokens: 0 }],
    ['max_tokens', { max_tokens: 5, max_completion_tokens: 6 }],
    ['stream', { stream: 'yes' }],
    ['tools', { tools: {} }],
    ['tools[0].type', { tools: [{ type: 'web_search' }] }],
    ['tools[0].function.name', { tools: [{ type: 'function', function: { name: 'a b' } }] }],
    ['tools[1].function.name', { tools: [tool, tool] }],
    ['tool_choice', { tools: [tool], tool_choice: { type: 'function', function: { name: 'g' } } }],
    ['messages[0]', { messages: ['hi'] }],
    ['messages[0].content', { messages: [{ role: 'user' }] }],
    ['messages[0].content[0].file', { messages: [{ role: 'user', content: [{ type: 'file' }] }] }],
    ['messages[0].content', { messages: [{ role: 'assistant' }] }],
    ['messages[0].tool_call_id', { messages: [result] }],
    ['messages[2].tool_call_id', { messages: [asked, result, result] }],
    ['messages[1]', { messages: [asked, user] }],
    ['messages', { messages: [asked] }],
    [
      'messages[0].tool_calls[1].id',
      { messages: [{ ...asked, tool_calls: [call, call] }, result] },
    ],
    ['model', { model: 7 }],
  ]
  for (const [param, extra] of wrong) {
    test(`is refused for ${param} when it holds ${JSON.stringify(extra).slice(0, 70)}`, () => {
      assert.equal(paramOf({ model: 'm', messages: [user], ...extra }), param)
    })
  }

  test('is read or refused, whatever it holds', () => {
    const message = fc.record(
      {
        role: fc.oneof(fc.constantFrom('system', 'user', 'assistant', 'tool'), fc.jsonValue()),
        content: fc.oneof(
          fc.string(),
          fc.array(fc.record({ type: fc.constant('text') })),
          fc.jsonValue(),
        ),
        tool_calls: fc.oneof(
          fc.array(fc.record({ id: fc.string(), function: fc.jsonValue() })),
          fc.jsonValue(),
        ),
        tool_call_id: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    const body = fc.record(
      {
        model: fc.oneof(fc.constant('m'), fc.jsonValue()),
        messages: fc.oneof(fc.array(message), fc.jsonValue()),
        tools: fc.oneof(
          fc.array(fc.record({ type: fc.constant('function'), function: fc.jsonValue() })),
          fc.jsonValue(),
        ),
        tool_choice: fc.jsonValue(),
        stop: fc.jsonValue(),
        top_p: fc.jsonValue(),
        logit_bias: fc.jsonValue(),
        modalities: fc.jsonValue(),
        response_format: fc.jsonValue(),
        stream_options: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(body, fc.jsonValue()), (value) => {
        try {
          readChatRequest(value)
        } catch (failure) {
          assert.ok(failure instanceof Failure && failure.status === 400, String(failure))
        }
      }),
      { numRuns: rounds(2000) },
    )
  })

  test('is an object', () => {
    for (const body of [null, [], 'hi', 7]) assert.equal(paramOf(body), '')
  })
})
