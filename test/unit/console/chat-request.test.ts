import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  chatBody,
  noSettings,
  readSchema,
  readTools,
  settingsProblem,
} from '#console/screens/playground/chat/chat-request.ts'
import { fitOf } from '#console/screens/playground/chat/fits-schema.ts'
import { type Arrived, withChunk } from '#console/screens/playground/chat/stream-chat.ts'
import type { Turn } from '#console/screens/playground/chat/turn-tree.ts'

const common = { conversationId: 'c', side: 'left' as const, parentId: null, atMs: 0 }
const answered = { model: 'm', reasoning: '' }

test('what was said becomes the request, without answers that never came', () => {
  const call = { id: '1', name: 'f', arguments: '{}', extra: { google: 1 } }
  const path: Turn[] = [
    { ...common, id: '1', role: 'user', text: 'Hi', images: ['https://a.example/b.png'] },
    { ...common, ...answered, id: '2', role: 'assistant', text: '', toolCalls: [] },
    { ...common, id: '3', role: 'user', text: 'Again', images: [] },
    { ...common, ...answered, id: '4', role: 'assistant', text: '', toolCalls: [call] },
    { ...common, id: '5', role: 'tool', text: '', results: [{ callId: '1', text: '7' }] },
  ]
  const settings = { ...noSettings, system: 'Be brief', maxTokens: 5, effort: 'low' }
  assert.deepEqual(chatBody('m', path, settings), {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
        ],
      },
      { role: 'user', content: 'Again' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: '1',
            type: 'function',
            function: { name: 'f', arguments: '{}' },
            extra_content: { google: 1 },
          },
        ],
      },
      { role: 'tool', tool_call_id: '1', content: '7' },
    ],
    max_completion_tokens: 5,
    reasoning_effort: 'low',
  })
})

test('tools are taken with or without their frame, and half-typed ones say what is missing', () => {
  const framed = [{ type: 'function', function: { name: 'f' } }]
  assert.deepEqual(readTools('[{"name": "f"}]'), { value: framed })
  assert.deepEqual(readTools('{"name": "f"}'), { value: framed })
  assert.deepEqual(readTools(JSON.stringify(framed)), { value: framed })
  assert.deepEqual(readTools(' '), { value: undefined })
  for (const text of ['[{"name"', '[]', '[1]', '[{"type":"function"}]'])
    assert.ok('problem' in readTools(text), text)
  assert.match(settingsProblem({ ...noSettings, tools: '[' }) ?? '', /^Tools: /)
  assert.match(settingsProblem({ ...noSettings, schema: '[]' }) ?? '', /^JSON schema: /)
  assert.equal(settingsProblem(noSettings), null)
  assert.ok('value' in readSchema('{"type":"object"}'))
})

test('an answer says whether it fits the schema, or where it does not', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
  assert.deepEqual(fitOf('{"a":1}', schema), { kind: 'fits', value: { a: 1 } })
  assert.equal(fitOf('{"a":', schema).kind, 'not JSON')
  const misfit = fitOf('{"a":"x"}', schema)
  assert.equal(misfit.kind, 'misfit')
  assert.match('problems' in misfit ? misfit.problems.join() : '', /\/a: .*type/i)
  assert.equal(fitOf('1', { $ref: '#/nowhere' }).kind, 'misfit')
})

test('pieces of text, reasoning and calls add up to the answer', () => {
  const nothing: Arrived = { answerId: undefined, text: '', reasoning: '', toolCalls: [] }
  const deltas = [
    { reasoning_content: 'Let me ' },
    { reasoning_content: 'think.' },
    { content: 'It ' },
    { content: 'is' },
    { tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] },
    { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
    { tool_calls: [{ index: 1, id: 'y', function: { name: 'g', arguments: '{}' } }] },
  ]
  const arrived = deltas.reduce(
    (sum, delta) => withChunk(sum, { id: 'chatcmpl-1', choices: [{ delta }] }),
    nothing,
  )
  assert.deepEqual(arrived, {
    answerId: 'chatcmpl-1',
    text: 'It is',
    reasoning: 'Let me think.',
    toolCalls: [
      { id: 'x', name: 'f', arguments: '{"a":1}' },
      { id: 'y', name: 'g', arguments: '{}' },
    ],
  })
})
