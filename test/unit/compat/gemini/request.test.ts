import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGenerateRequest } from '#compat/gemini/generate-request.ts'
import { RawParts } from '#core/chat-content.ts'

const read = (body: object) => readGenerateRequest(body, 'm')
const user = (...parts: object[]) => ({ role: 'user', parts })
const model = (...parts: object[]) => ({ role: 'model', parts })
const call = (name: string, id?: string) => ({ functionCall: { name, args: { a: 1 }, id } })
const result = (name: string, response: object, id?: string) => ({
  functionResponse: { name, response, id },
})

test('the contents that a stream left behind are one answer', () => {
  const { messages } = read({
    contents: [
      user({ text: 'Hi' }),
      model({ text: '' }),
      model({ text: 'Think.', thought: true }),
      model({ text: 'Let me ' }),
      model({ text: 'look.' }, call('look')),
      model({ text: '' }),
      user(result('look', { output: 'rain' })),
      model({ text: '' }),
      user({ text: 'And?' }, { text: 'Now?' }),
    ],
  })
  const toolCalls = [{ id: 'call_0', name: 'look', arguments: '{"a":1}' }]
  assert.deepEqual(messages, [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Let me look.', toolCalls, thoughts: [{ text: 'Think.' }] },
    { role: 'tool', toolCallId: 'call_0', content: 'rain' },
    { role: 'user', content: 'And?\nNow?' },
  ])
})

test('results find their calls by id, else by name and order', () => {
  const { messages } = read({
    contents: [
      user({ text: 'Hi' }),
      model(call('f', 'x'), call('f'), call('g')),
      { role: 'function', parts: [result('g', { error: 'no' }), result('f', { b: 2 }, 'x')] },
      { role: 'function', parts: [result('f', { output: 'one', more: 1 }, 'unknown')] },
    ],
  })
  assert.deepEqual(messages.slice(2), [
    { role: 'tool', toolCallId: 'call_2', content: 'no', isError: true },
    { role: 'tool', toolCallId: 'x', content: '{"b":2}' },
    { role: 'tool', toolCallId: 'call_1', content: '{"output":"one","more":1}' },
  ])
})

test('a file beside a result belongs to it, and one after words to the user', () => {
  const inlineData = { mimeType: 'image/png', data: 'AA-_' }
  const fileData = { mimeType: 'application/pdf', fileUri: 'https://example.com/a' }
  const contents = [
    user({ text: 'Hi' }),
    model(call('f')),
    user(result('f', { output: 'see' }), { inlineData }, { text: 'and' }, { fileData }),
  ]
  const [, , answer, said] = read({ contents }).messages
  assert.deepEqual(
    answer?.content,
    new RawParts([
      { type: 'text', text: 'see' },
      { type: 'image_url', url: 'data:image/png;base64,AA+/' },
    ]),
  )
  assert.deepEqual(
    said?.content,
    new RawParts([
      { type: 'text', text: 'and' },
      { type: 'document', url: 'https://example.com/a' },
    ]),
  )
})

test('a part of a conversation that cannot be read is never left out', () => {
  const refused = [
    { videoMetadata: { fps: 1 } },
    { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } },
    { fileData: { fileUri: 'https://', mimeType: 'image/png' } },
    { fileData: { fileUri: 'https://example.com/a.mp4', mimeType: 'video/mp4' } },
    { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } },
    { functionCall: { name: 'f', partialArgs: [{ jsonPath: '$.a' }] } },
    { somethingNew: {} },
    { text: 'x', functionResponse: { name: 'f' } },
    { inlineData: { mimeType: 'image/png', data: 'AA' }, fileData: { fileUri: 'https://a.b/c' } },
  ]
  for (const part of refused) {
    assert.throws(() => read({ contents: [user({ text: 'Hi' }, part)] }), JSON.stringify(part))
  }
  const { messages } = read({
    contents: user(
      { executableCode: { code: 'print(1)' } },
      { inlineData: { mimeType: 'text/csv', data: 'YSxi' } },
    ),
  })
  assert.equal(messages[0]?.content, '[executableCode] {"code":"print(1)"}\na,b')
})

test('only the functions that may be called are shown', () => {
  const tools = [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }, { name: 'h' }] }]
  const choose = (functionCallingConfig: object) => {
    const toolConfig = { functionCallingConfig }
    const asked = read({ contents: user({ text: 'Hi' }), tools, toolConfig })
    return [asked.tools?.map(({ name }) => name).join(''), asked.toolChoice]
  }
  assert.deepEqual(choose({}), ['fgh', 'auto'])
  assert.deepEqual(choose({ mode: 'NONE' }), ['fgh', 'none'])
  assert.deepEqual(choose({ mode: 'ANY' }), ['fgh', 'required'])
  assert.deepEqual(choose({ mode: 'ANY', allowedFunctionNames: ['g'] }), ['g', { name: 'g' }])
  assert.deepEqual(choose({ mode: 'ANY', allowed_function_names: ['f', 'g'] }), ['fg', 'required'])
  assert.deepEqual(choose({ mode: 'VALIDATED', allowedFunctionNames: ['f'] }), ['f', 'auto'])
  assert.throws(() => choose({ mode: 'ANY', allowedFunctionNames: ['x'] }), /"x"/)
})

test('budgets and levels become efforts', () => {
  const effort = (thinkingConfig: object) =>
    read({ contents: user({ text: 'Hi' }), generationConfig: { thinkingConfig } }).reasoningEffort
  const budgets = [-1, 0, 512, 1024, 8192, 24576].map((thinkingBudget) =>
    effort({ thinkingBudget }),
  )
  assert.deepEqual(budgets, [undefined, 'none', 'low', 'low', 'medium', 'high'])
  assert.equal(effort({ thinkingLevel: 'MINIMAL' }), 'minimal')
  assert.equal(effort({ thinking_level: 'low' }), 'low')
  assert.equal(effort({}), undefined)
})
