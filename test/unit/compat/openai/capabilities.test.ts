import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCapabilities } from '#api/model-choice.ts'
import { readChatRequest } from '#compat/openai/chat-request.ts'
import { builtinModels } from '#providers/builtin-models.ts'

test('a function may be forced on a model only where its vendor takes that', () => {
  const fables = ['claude-fable-5-1', 'claude-fable-5-2']
  const refusing = ['claude-opus-5-5', 'claude-sonnet-5-5', ...fables]
  for (const { id, kind, capabilities } of builtinModels) {
    if (kind === 'IMAGE' || kind === 'VIDEO') continue
    const isRefused = refusing.some((name) => id === `anthropic/${name}`)
    for (const toolChoice of [{ name: 'weather' }, 'required'] as const) {
      const check = () => checkCapabilities(capabilities, { toolChoice })
      if (!isRefused) check()
      else assert.throws(check, { code: 'UNSUPPORTED_PARAMETER', message: /tool_choice/ }, id)
    }
    for (const toolChoice of ['auto', 'none'] as const)
      checkCapabilities(capabilities, { toolChoice })
  }
})

test('an effort is passed on only where the model declares that it takes it', () => {
  const text = { inputModalities: ['text' as const] }
  const schema = { name: 'sum', schema: {} }
  const undeclared = () => checkCapabilities(text, { reasoningEffort: 'low' })
  assert.throws(undeclared, { code: 'UNSUPPORTED_PARAMETER' })
  const able = { ...text, reasoningEfforts: ['low' as const] }
  checkCapabilities(able, { reasoningEffort: 'low' })
  const harder = () => checkCapabilities(able, { reasoningEffort: 'max' })
  assert.throws(harder, { code: 'UNSUPPORTED_PARAMETER', message: /one of low/ })
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    reasoning_effort: 'low',
    response_format: { type: 'json_schema', json_schema: { ...schema, strict: true } },
  }
  const { reasoningEffort, jsonSchema } = readChatRequest(body).call
  assert.deepEqual([reasoningEffort, jsonSchema], ['low', { ...schema, strict: true }])
})

test('what a model of OpenAI cannot be told is refused by its name, before the call', () => {
  const { capabilities } = builtinModels.find(({ id }) => id === 'openai/gpt-6-luna') ?? {}
  assert.ok(capabilities)
  for (const [given, message] of [
    [{ stop: ['END'] }, 'stop is not supported for this model.'],
    [{ topP: 0.5 }, 'top_p must be from 1 to 1 for this model.'],
    [{ temperature: 0.2 }, 'temperature must be from 1 to 1 for this model.'],
    [{ maxTokens: 5 }, 'maxTokens must be from 16 to 128000 for this model.'],
  ] as const) {
    const check = () => checkCapabilities(capabilities, given)
    assert.throws(check, { code: 'UNSUPPORTED_PARAMETER', message })
  }
  checkCapabilities(capabilities, { maxTokens: 16, temperature: 1 })
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stop: 'END' }
  assert.deepEqual(readChatRequest(body).call.stop, ['END'])
})
