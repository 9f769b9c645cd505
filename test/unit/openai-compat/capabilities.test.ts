import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readChatRequest } from '#openai-compat/chat-request.ts'
import { checkCapabilities } from '#operations/model-choice.ts'
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
