// What a provider says about a failure reaches the caller.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DoubleKind } from '../../support/provider-doubles/wires.ts'
import { clientOf, failureOf, says, streamingModels } from '../compat/openai/setting.ts'
import { assertFailure, chat, newCustomer, openBench } from './setting.ts'

const hello = { messages: says('Hello') }

describe('the message of a provider', () => {
  for (const [double, model] of [
    ['openai', 'test/local'],
    ['openai', 'test/openai'],
    ['anthropic', 'test/anthropic'],
    ['gemini', 'test/gemini'],
  ] as const) {
    test(`survives although ${model} says it with status 200`, async (t) => {
      const bench = await openBench(t, { doubles: [double], models: streamingModels })
      const body = { error: { message: 'The pool is used up' } }
      bench.doubles[double].script('chat', { do: 'say', status: 200, body })
      const error = assertFailure(await chat(bench, { ...hello, model }), 502, 'PROVIDER_ERROR')
      assert.match(error.message, /: The pool is used up$/)
    })
  }

  test('survives without JSON, and so does the wait it asks for', async (t) => {
    const bench = await openBench(t, { doubles: ['openai'], models: streamingModels })
    const headers = { 'content-type': 'text/plain', 'retry-after': '9' }
    const said = { do: 'say', status: 503, body: 'no healthy upstream', headers } as const
    bench.doubles.openai.script('chat', said)
    const answer = await chat(bench, { ...hello, model: 'test/local' })
    assert.equal(answer.headers['retry-after'], '9', answer.text)
    assert.match(answer.body.error.message, /no healthy upstream/)
  })
})

describe('a conversation longer than the context of its model', () => {
  const messages: [DoubleKind, model: string, error: object][] = [
    [
      'openai',
      'test/openai',
      {
        code: 'context_length_exceeded',
        message: 'Your input exceeds the context window of this model.',
      },
    ],
    [
      'openai',
      'test/local',
      { message: "This model's maximum context length is 4096 tokens.", code: 400 },
    ],
    [
      'anthropic',
      'test/anthropic',
      { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000' },
    ],
    [
      'gemini',
      'test/gemini',
      {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed.',
      },
    ],
  ]
  for (const [double, model, error] of messages) {
    test(`is told in the words of every API, for ${model}`, async (t) => {
      const bench = await openBench(t, { doubles: [double], models: streamingModels })
      const { key } = await newCustomer(bench)
      const refusal = { do: 'say', status: 400, body: { type: 'error', error } } as const
      bench.doubles[double].script('chat', refusal, refusal, refusal, refusal)
      const native = assertFailure(await chat(bench, { ...hello, model }), 400, 'INVALID_REQUEST')
      assert.match(native.message, /does not fit into the model's context window/)
      assert.equal(native.details.reason, 'context_length_exceeded')
      const { completions } = clientOf(bench, key).chat
      for (const stream of [false, true]) {
        const failed = await failureOf(completions.create({ ...hello, model, stream }))
        assert.deepEqual([failed.status, failed.code], [400, 'context_length_exceeded'])
      }
      const json = { ...hello, model, max_tokens: 10 }
      const path = '/v1/messages'
      const anthropic = await bench.call({ method: 'POST', path, key, json })
      assert.deepEqual([anthropic.status, anthropic.body.type], [400, 'error'])
      assert.match(anthropic.body.error.message, /^prompt is too long/)
    })
  }
})
