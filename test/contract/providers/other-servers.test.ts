// Answers in the shapes of vLLM and Ollama, which differ from OpenAI's in what they leave out and
// add. llama.cpp and LiteLLM are tried for real (npm run test:clients -- servers).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { createOpenAiProvider } from '#providers/openai/adapter.ts'
import { ProviderError, type TextDelta } from '#providers/provider.ts'

type Recorded = { status?: number; body: string; type?: string }

async function replay(t: TestContext, { status = 200, body, type }: Recorded) {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': type ?? 'application/json' }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const provider = createOpenAiProvider({
    ...{ name: 'local', apiKey: '', baseUrl, dialect: 'compatible' },
  })
  t.after(() => provider.close?.())
  const { signal } = new AbortController()
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] }
  return {
    answer: async () => provider.generateText?.(request, { signal }),
    pieces: async () => Array.fromAsync(provider.streamText?.(request, { signal }) ?? []),
  }
}

const events = (...chunks: object[]): Recorded => ({
  type: 'text/event-stream; charset=utf-8',
  body: `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`,
})
const chunkOf =
  (id: string, model: string) =>
  (delta: object, rest: object = {}) => ({
    ...{ id, object: 'chat.completion.chunk', created: 1, model },
    choices: [{ index: 0, delta, finish_reason: null, ...rest }],
  })
const textIn = (pieces: TextDelta[]) =>
  pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
const ofType = (pieces: TextDelta[], type: TextDelta['type']) =>
  pieces.filter((piece) => piece.type === type)

describe('vLLM', () => {
  const nothing = { refusal: null, annotations: null, audio: null, function_call: null }
  const vllm = chunkOf('chatcmpl-7', 'Qwen/Qwen4-8B')

  test('answers with many fields that are null, and its thoughts beside the text', async (t) => {
    const message = { role: 'assistant', content: 'Hello', reasoning: 'Greet.', tool_calls: [] }
    const body = {
      ...{ id: 'chatcmpl-7', object: 'chat.completion', created: 1, model: 'Qwen/Qwen4-8B' },
      choices: [
        {
          ...{ index: 0, logprobs: null, finish_reason: 'stop', stop_reason: null },
          message: { ...message, ...nothing },
        },
      ],
      usage: {
        prompt_tokens: 9,
        total_tokens: 12,
        completion_tokens: 3,
        prompt_tokens_details: null,
      },
      ...{ prompt_logprobs: null, kv_transfer_params: null, service_tier: null },
    }
    const { answer } = await replay(t, { body: JSON.stringify(body) })
    const result = await answer()
    assert.deepEqual(
      [result?.text, result?.finish, result?.toolCalls],
      ['Hello', 'stop', undefined],
    )
    assert.equal(result?.thoughts?.length, 1)
    assert.deepEqual([result?.usage?.inputTokens, result?.usage?.outputTokens], [9, 3])
  })

  test('streams its usage after the end, in a chunk without choices', async (t) => {
    const { pieces } = await replay(
      t,
      events(
        vllm({ role: 'assistant', content: '' }, { logprobs: null }),
        vllm({ content: 'Hel' }, { token_ids: null }),
        vllm({ content: 'lo' }),
        vllm({ content: '' }, { finish_reason: 'stop', stop_reason: 151645 }),
        {
          ...vllm({}),
          choices: [],
          usage: { prompt_tokens: 9, total_tokens: 12, completion_tokens: 3 },
        },
      ),
    )
    const seen = await pieces()
    assert.equal(textIn(seen), 'Hello')
    const [used] = ofType(seen, 'usage')
    assert.equal(used?.type === 'usage' && used.usage.outputTokens, 3)
    assert.equal(seen.at(-1)?.type, 'end')
  })

  const tooLong = "This model's maximum context length is 4096 tokens. However, you requested 9000."
  for (const [form, body] of [
    ['flat', { object: 'error', message: tooLong, type: 'BadRequestError', code: 400 }],
    ['nested', { error: { message: tooLong, type: 'BadRequestError', param: null, code: 400 } }],
  ] as const) {
    test(`refuses a long prompt with an error that is ${form}, and says why`, async (t) => {
      const { answer } = await replay(t, { status: 400, body: JSON.stringify(body) })
      await assert.rejects(answer(), (error: unknown) => {
        assert.ok(error instanceof ProviderError)
        assert.deepEqual([error.kind, error.outcome], ['invalid', 'rejected'])
        return error.message.includes('maximum context length')
      })
    })
  }
})

describe('Ollama', () => {
  const ollama = chunkOf('chatcmpl-41', 'gemma4')
  const call = { id: 'call_9', index: 0, type: 'function' }

  test('streams a function call whole, and ends it like a text', async (t) => {
    const made = { ...call, function: { name: 'weather', arguments: '{"city":"Rome"}' } }
    const { pieces } = await replay(
      t,
      events(
        {
          ...ollama({ role: 'assistant', content: '', tool_calls: [made] }),
          system_fingerprint: 'fp_ollama',
        },
        ollama({ role: 'assistant', content: '' }, { finish_reason: 'tool_calls' }),
      ),
    )
    const seen = await pieces()
    const asked = JSON.stringify(seen)
    assert.match(asked, /"weather"/)
    assert.match(asked, /Rome/)
    assert.equal(seen.at(-1)?.type, 'end')
  })

  test('has no model of that name: a refusal, and nothing to pay', async (t) => {
    const error = { message: "model 'm' not found", type: 'api_error', param: null, code: null }
    const { answer } = await replay(t, { status: 404, body: JSON.stringify({ error }) })
    await assert.rejects(answer(), { kind: 'not_found', outcome: 'rejected' })
  })
})
