import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { itemsOf } from '#compat/openai/responses-answer.ts'
import { readConversation, readResponseFields } from '#compat/openai/responses-request.ts'
import { createEventWriter } from '#compat/openai/responses-stream.ts'
import { RawParts } from '#core/chat-content.ts'
import { Failure } from '#core/errors.ts'
import type { GeneratedText, StreamEvent } from '#core/generation.ts'
import { rounds } from '../../../support/rounds.ts'

const readResponseRequest = (body: unknown) => readConversation(readResponseFields(body))
const user = { role: 'user', content: 'Hi' }
const read = (extra: object) => readResponseRequest({ model: 'm', input: [user], ...extra })

function problemOf(extra: object): unknown[] {
  try {
    read(extra)
  } catch (failure) {
    if (failure instanceof Failure) return [failure.code, failure.details?.param]
    throw failure
  }
  throw new Error('it was accepted')
}

const say = { type: 'function', name: 'say', strict: false, parameters: { type: 'object' } }
const patch = { type: 'custom', name: 'patch', description: 'Edits.', format: { type: 'text' } }
const spaced = [
  { type: 'namespace', name: 'functions', description: '', tools: [patch] },
  { type: 'namespace', name: 'mcp__one', description: 'One', tools: [say] },
  { type: 'namespace', name: 'mcp__two', description: 'Two', tools: [say] },
  say,
]

describe('a request for a response', () => {
  test('has the functions of its namespaces, each under one name of its own', () => {
    const { call } = read({ tools: spaced })
    assert.deepEqual(
      call.tools?.map(({ name }) => name),
      ['patch', 'mcp__one__say', 'mcp__two__say', 'say'],
    )
  })

  test('has other names where two would be the same or too long', () => {
    const long = 'n'.repeat(60)
    const { call } = read({
      tools: [
        { ...say, name: 'a__say' },
        { type: 'namespace', name: 'a', description: '', tools: [say] },
        { type: 'namespace', name: long, description: '', tools: [say, { ...say, name: 'sax' }] },
      ],
    })
    const names = call.tools?.map(({ name }) => name) ?? []
    assert.equal(new Set(names).size, 4)
    for (const name of names) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
  })

  test('may add tools among its items, whose earlier calls go by the same names', () => {
    const { call } = read({
      input: [
        { type: 'additional_tools', role: 'developer', tools: spaced },
        {
          type: 'message',
          id: 'msg_1',
          role: 'user',
          content: [{ type: 'input_text', text: 'Hi' }],
        },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'openai.x' },
        {
          type: 'function_call',
          call_id: 'a',
          name: 'say',
          namespace: 'mcp__two',
          arguments: '{}',
        },
        {
          type: 'custom_tool_call',
          call_id: 'b',
          name: 'patch',
          namespace: 'functions',
          input: 'x',
        },
        {
          type: 'function_call_output',
          call_id: 'a',
          output: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'auto' },
          ],
        },
        { type: 'custom_tool_call_output', call_id: 'b', output: 'done' },
      ],
    })
    const [asked, answer, seen, done] = call.messages
    assert.deepEqual(asked, { role: 'user', content: 'Hi' })
    assert.deepEqual(answer, {
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'a', name: 'mcp__two__say', arguments: '{}' },
        { id: 'b', name: 'patch', arguments: '{"input":"x"}' },
      ],
      thoughts: [{ text: '', signature: 'openai.x' }],
    })
    assert.deepEqual(
      seen?.content,
      new RawParts([
        { type: 'text', text: 'Look' },
        { type: 'image_url', url: 'https://x.test/a.png' },
      ]),
    )
    assert.equal(done?.content, 'done')
    assert.equal(call.tools?.length, 4)
  })

  test('is answered in the form in which the client declared what is called', () => {
    const search = { type: 'tool_search', execution: 'client', description: 'Finds tools' }
    const { forms } = read({ tools: [...spaced, search] })
    const called = [
      { id: 'a', name: 'mcp__one__say', arguments: '{"x":1}' },
      { id: 'b', name: 'patch', arguments: '{"input":"*** Begin"}' },
      { id: 'c', name: 'tool_search', arguments: '{"query":"x"}' },
      { id: 'd', name: 'say', arguments: '{}' },
      { id: 'e', name: 'patch', arguments: 'not JSON' },
    ]
    const usage = { inputTokens: 1, outputTokens: 1 }
    const begin = { id: '1', createdAtMs: 0, modelId: 'm' }
    const end = { finish: 'stop' as const, usage, costMicros: 0 }
    const generated: GeneratedText = { ...begin, ...end, text: '', toolCalls: called }
    const expected = [
      {
        type: 'function_call',
        call_id: 'a',
        name: 'say',
        namespace: 'mcp__one',
        arguments: '{"x":1}',
      },
      {
        type: 'custom_tool_call',
        call_id: 'b',
        name: 'patch',
        namespace: 'functions',
        input: '*** Begin',
      },
      { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: { query: 'x' } },
      { type: 'function_call', call_id: 'd', name: 'say', arguments: '{}' },
      {
        type: 'custom_tool_call',
        call_id: 'e',
        name: 'patch',
        namespace: 'functions',
        input: 'not JSON',
      },
    ]
    const bare = (items: readonly object[]) =>
      items.map((item) => ({ ...item, id: undefined, status: undefined }))
    const whole = itemsOf(generated, forms)
    assert.deepEqual(bare(whole), bare(expected))

    const write = createEventWriter(begin, {}, forms)
    const events: StreamEvent[] = [
      { type: 'begin', ...begin, inputTokens: 1 },
      ...called.flatMap(({ id, name, arguments: text }, index): StreamEvent[] => [
        { type: 'tool_call', index, id, name },
        { type: 'tool_arguments', index, text: text.slice(0, 2) },
        { type: 'tool_arguments', index, text: text.slice(2) },
      ]),
      { type: 'end', ...end },
    ]
    const written = events.flatMap(write)
    const done = written.filter(({ type }) => type === 'response.output_item.done')
    assert.deepEqual(
      done.map(({ item }) => item),
      whole,
    )
    const inputs = written.filter(({ type }) => type === 'response.custom_tool_call_input.done')
    assert.deepEqual(
      inputs.map(({ input }) => input),
      ['*** Begin', 'not JSON'],
    )
  })

  test('may send back a streamed answer whose model wrote on after it had asked for a call', () => {
    const begin = { id: '1', createdAtMs: 0, modelId: 'm' }
    const write = createEventWriter(begin, {})
    const end = { finish: 'stop' as const, usage: { inputTokens: 1, outputTokens: 1 } }
    const events: StreamEvent[] = [
      { type: 'begin', ...begin, inputTokens: 1 },
      { type: 'text', text: 'I look.' },
      { type: 'tool_call', index: 0, id: 'a', name: 'say' },
      { type: 'tool_arguments', index: 0, text: '{}' },
      { type: 'text', text: 'One moment.' },
      { type: 'end', ...end, costMicros: 0 },
    ]
    const { output } = (events.flatMap(write).at(-1)?.response ?? {}) as { output: object[] }
    const result = { type: 'function_call_output', call_id: 'a', output: 'done' }
    const { call } = read({ tools: [say], input: [user, ...output, result] })
    assert.deepEqual(call.messages.slice(1), [
      {
        role: 'assistant',
        content: 'I look.\nOne moment.',
        toolCalls: [{ id: 'a', name: 'say', arguments: '{}' }],
      },
      { role: 'tool', toolCallId: 'a', content: 'done' },
    ])
    assert.deepEqual(problemOf({ tools: [say], input: [user, ...output, user] }), [
      'INVALID_REQUEST',
      'input[4]',
    ])
  })

  test('shows a search of the vendor in a stream, and which of the words it found', () => {
    const begin = { id: '1', createdAtMs: 0, modelId: 'm' }
    const write = createEventWriter(begin, {})
    const search = { type: 'web_search_call', id: 'ws_9', status: 'completed' }
    const citation = { type: 'url_citation', url: 'https://x.test/' }
    const end = { finish: 'stop' as const, usage: { inputTokens: 1, outputTokens: 1 } }
    const events: StreamEvent[] = [
      { type: 'begin', ...begin, inputTokens: 1 },
      { type: 'hosted', form: 'openai', item: search },
      { type: 'text', text: 'Rain' },
      { type: 'hosted', form: 'openai', item: citation },
      { type: 'end', ...end, costMicros: 0 },
    ]
    const written = events.flatMap(write)
    const done = written.filter(({ type }) => type === 'response.output_item.done')
    assert.deepEqual(
      done.map(({ item }) => (item as { id: string }).id),
      ['ws_1-0', 'msg_1-1'],
    )
    const marked = written.find(({ type }) => type === 'response.output_text.annotation.added')
    assert.deepEqual(marked?.annotation, citation)
    assert.match(JSON.stringify(written.at(-1)), /"annotations":\[\{"type":"url_citation"/)
  })

  test('may ask for a search of the vendor, which an agent adds to every request', () => {
    const added = { type: 'web_search', external_web_access: false }
    const { call, isSearchOptional } = read({ tools: [say, added], max_tool_calls: 99 })
    assert.deepEqual(
      call.tools?.map(({ name }) => name),
      ['say'],
    )
    assert.deepEqual(call.webSearch, { form: 'openai', tool: added, most: 20 })
    assert.equal(isSearchOptional, true)
    assert.equal(read({ tools: [{ type: 'web_search' }] }).isSearchOptional, false)
    const hosted = { tools: [say, { type: 'code_interpreter' }] }
    assert.deepEqual(problemOf(hosted), ['UNSUPPORTED_PARAMETER', 'tools[1].type'])
  })

  test('shows files as documents, and needs no Files API', () => {
    const url = 'data:application/pdf;base64,JVBERi0='
    const [message] = read({
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_file', file_data: url, filename: 'a.pdf' },
            { type: 'input_file', file_url: 'https://x.test/b.pdf' },
          ],
        },
      ],
    }).call.messages
    assert.deepEqual(
      message?.content,
      new RawParts([
        { type: 'document', url, name: 'a.pdf' },
        { type: 'document', url: 'https://x.test/b.pdf' },
      ]),
    )
    const kept = { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] }
    assert.deepEqual(problemOf(kept), ['UNSUPPORTED_PARAMETER', 'input[0].content[0].file_id'])
  })

  test('says how much to think and whether thoughts are shown', () => {
    const { call } = read({ reasoning: { effort: 'high', summary: 'auto', context: 'all_turns' } })
    assert.deepEqual([call.reasoningEffort, call.showThoughts], ['high', true])
    assert.equal(read({ reasoning: { summary: 'none' } }).call.showThoughts, false)
  })

  test('is read or refused, whatever it holds', () => {
    const tool = fc.record(
      {
        type: fc.constantFrom(
          'function',
          'custom',
          'namespace',
          'tool_search',
          'web_search',
          'mcp',
        ),
        name: fc.oneof(fc.constant('f'), fc.jsonValue()),
        tools: fc.oneof(fc.array(fc.record({ type: fc.constant('custom') })), fc.jsonValue()),
        format: fc.oneof(fc.constant({ type: 'grammar' }), fc.jsonValue()),
      },
      { requiredKeys: [] },
    )
    const item = fc.record(
      {
        type: fc.oneof(
          fc.constantFrom('message', 'function_call', 'custom_tool_call', 'tool_search_call'),
          fc.constantFrom('function_call_output', 'additional_tools', 'tool_search_output'),
          fc.constantFrom('reasoning', 'web_search_call', 'item_reference'),
          fc.jsonValue(),
        ),
        id: fc.jsonValue(),
        role: fc.oneof(fc.constantFrom('user', 'assistant'), fc.jsonValue()),
        content: fc.oneof(fc.string(), fc.jsonValue()),
        call_id: fc.oneof(fc.constant('a'), fc.jsonValue()),
        name: fc.oneof(fc.constant('f'), fc.jsonValue()),
        arguments: fc.oneof(fc.constant('{}'), fc.jsonValue()),
        input: fc.oneof(fc.string(), fc.jsonValue()),
        output: fc.oneof(fc.string(), fc.jsonValue()),
        tools: fc.oneof(fc.array(tool), fc.jsonValue()),
      },
      { requiredKeys: [] },
    )
    const body = fc.record(
      {
        model: fc.constant('m'),
        input: fc.oneof(fc.array(item), fc.jsonValue()),
        tools: fc.oneof(fc.array(tool), fc.jsonValue()),
        tool_choice: fc.jsonValue(),
        text: fc.jsonValue(),
        include: fc.jsonValue(),
      },
      { requiredKeys: ['model'] },
    )
    fc.assert(
      fc.property(body, (value) => {
        try {
          readResponseRequest(value)
        } catch (failure) {
          assert.ok(failure instanceof Failure && failure.status === 400, String(failure))
        }
      }),
      { numRuns: rounds(2000) },
    )
  })
})
