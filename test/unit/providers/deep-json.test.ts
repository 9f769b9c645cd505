import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messagesBody } from '#providers/anthropic/request.ts'
import { readMessage } from '#providers/anthropic/response.ts'
import { textBody } from '#providers/gemini/request.ts'
import { ProviderError } from '#providers/provider.ts'

const deep = '['.repeat(9_000) + ']'.repeat(9_000)
const upstream = { name: 'anthropic', redact: (text: string) => text }

test('an answer of a provider that is nested too deeply is refused', () => {
  const call = `{"type":"tool_use","id":"t","name":"f","input":{"x":${deep}}}`
  const body = Buffer.from(`{"id":"m","type":"message","content":[${call}]}`)
  assert.throws(
    () => readMessage(upstream, { status: 200, headers: {}, body }),
    (error) => error instanceof ProviderError && error.kind === 'protocol',
  )
})

test('arguments and answers of tools that are nested too deeply are passed on as text', () => {
  const messages = [
    { role: 'user' as const, content: 'go' },
    {
      role: 'assistant' as const,
      content: '',
      toolCalls: [{ id: 'c', name: 'f', arguments: `{"x":${deep}}` }],
    },
    { role: 'tool' as const, toolCallId: 'c', content: `{"y":${deep}}` },
  ]
  const request = { model: 'm', messages }
  for (const body of [messagesBody(upstream, request), textBody(request)]) {
    assert.match(JSON.stringify(body), /\[\[\[\[/)
  }
})
