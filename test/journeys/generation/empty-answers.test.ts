// An answer that was blocked, cut or left empty is never handed on as a good one: whole and
// streamed, of every vendor. What it used is in the ledger all the same.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DoubleKind } from '../../support/provider-doubles/wires.ts'
import type { Answer } from '../../support/server.ts'
import {
  assertFailure,
  attempts,
  type Bench,
  chat,
  eventually,
  openBench,
  says,
  testModels,
} from './setting.ts'

type Said = { text: string; end: 'stop' | 'length' | 'blocked' }

type Vendor = {
  model: string
  double: DoubleKind
  whole(said: Said): object
  events(said: Said): object[]
}

const compatible: Vendor = {
  model: 'test/text',
  double: 'openai',
  whole: ({ text, end }) => ({
    id: 'c',
    choices: [{ index: 0, message: { content: text }, finish_reason: finishes[end] }],
    usage: { prompt_tokens: 11, completion_tokens: 7 },
  }),
  events: ({ text, end }) => [
    { id: 'c', choices: [{ index: 0, delta: { content: text } }] },
    { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: finishes[end] }] },
    { id: 'c', choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } },
  ],
}
const finishes = { stop: 'stop', length: 'length', blocked: 'content_filter' }

const response = ({ text, end }: Said) => ({
  object: 'response',
  id: 'r',
  status: end === 'stop' ? 'completed' : 'incomplete',
  incomplete_details: {
    reason: end === 'blocked' ? 'content_filter' : 'max_output_tokens',
  },
  output: [{ type: 'message', content: [{ type: 'output_text', text }] }],
  usage: { input_tokens: 11, output_tokens: 7, output_tokens_details: { reasoning_tokens: 6 } },
})
const openai: Vendor = {
  model: 'openai/gpt-6-luna',
  double: 'openai',
  whole: response,
  events: (said) => [
    { type: 'response.output_text.delta', delta: said.text },
    {
      type: said.end === 'stop' ? 'response.completed' : 'response.incomplete',
      response: response(said),
    },
  ],
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', blocked: 'refusal' }
const anthropic: Vendor = {
  model: 'anthropic/claude-opus-5-5',
  double: 'anthropic',
  whole: ({ text, end }) => ({
    id: 'm',
    type: 'message',
    content: [{ type: 'text', text }],
    stop_reason: stopReasons[end],
    usage: { input_tokens: 11, output_tokens: 7 },
  }),
  events: ({ text, end }) => [
    { type: 'message_start', message: { usage: { input_tokens: 11, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text } },
    {
      type: 'message_delta',
      delta: { stop_reason: stopReasons[end] },
      usage: { output_tokens: 7 },
    },
    { type: 'message_stop' },
  ],
}

const finishReasons = { stop: 'STOP', length: 'MAX_TOKENS', blocked: 'SAFETY' }
const content = ({ text, end }: Said) => ({
  candidates: [{ content: { parts: [{ text }] }, finishReason: finishReasons[end] }],
  usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 1, thoughtsTokenCount: 6 },
})
const gemini: Vendor = {
  model: 'gemini/gemini-3.8-flash',
  double: 'gemini',
  whole: content,
  events: (said) => [content(said)],
}

const vendors = { compatible, openai, anthropic, gemini }
const doubles = ['openai', 'anthropic', 'gemini'] as const

const ask = (bench: Bench, model: string) => chat(bench, { model, messages: [says('Hello')] })

const askCompatible = (bench: Bench, model: string, more: object = {}): Promise<Answer> =>
  bench.call({
    method: 'POST',
    path: '/v1/chat/completions',
    json: { model, messages: [says('Hello')], ...more },
  })

async function askStreamed(bench: Bench, model: string) {
  const { text } = await askCompatible(bench, model, { stream: true })
  const lines = text.split('\n\n').filter((line) => line.startsWith('data: {'))
  return lines.map((line) => JSON.parse(line.slice(6)))
}

const inEvents = (events: object[]) => ({
  do: 'say' as const,
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
})

/** The last attempt, once it is settled. */
const settled = async (bench: Bench, count: number) => {
  const rows = await eventually(
    () => attempts(bench),
    (rows) => rows.length === count && rows.every(({ outcome }) => outcome !== 'PENDING'),
  )
  return rows.map(({ outcome, cost_micros }) => [outcome, (cost_micros ?? 0) > 0])
}

for (const [name, { model, double, whole, events }] of Object.entries(vendors)) {
  describe(`no answer of ${name} passes for more than it is`, () => {
    const cases = [
      { said: { text: '', end: 'stop' }, code: 'EMPTY_ANSWER', status: 502 },
      { said: { text: ' \n', end: 'stop' }, code: 'EMPTY_ANSWER', status: 502 },
      { said: { text: '', end: 'length' }, code: 'EMPTY_ANSWER', status: 502 },
      { said: { text: 'Once', end: 'blocked' }, code: 'CONTENT_REJECTED', status: 400 },
      { said: { text: '', end: 'blocked' }, code: 'CONTENT_REJECTED', status: 400 },
    ] as const

    test('empty and blocked ones are errors of the call, which was billed', async (t) => {
      const bench = await openBench(t, { doubles, models: testModels })
      for (const { said, code, status } of cases) {
        const body = whole(said)
        bench.doubles[double].always('chat', { do: 'say', status: 200, body })
        const error = assertFailure(await ask(bench, model), status, code)
        assert.equal(error.retryable, false)
        const compat = await askCompatible(bench, model)
        assert.deepEqual([compat.status, compat.body.error.code], [status, code])
      }
      const billed = Array.from({ length: 2 * cases.length }, () => ['FAILED', true])
      assert.deepEqual(await settled(bench, billed.length), billed)
    })

    test('streamed ones end with the error, and were billed', async (t) => {
      const bench = await openBench(t, { doubles, models: testModels })
      for (const { said, code } of cases) {
        bench.doubles[double].always('chat', inEvents(events(said)))
        const chunks = await askStreamed(bench, model)
        assert.equal(chunks.at(-1)?.error?.code, code)
        assert.ok(chunks.every((chunk) => !chunk.choices?.[0]?.finish_reason))
      }
      const billed = Array.from({ length: cases.length }, () => ['FAILED', true])
      assert.deepEqual(await settled(bench, billed.length), billed)
    })

    test('a cut one says that it was cut', async (t) => {
      const bench = await openBench(t, { doubles, models: testModels })
      const said = { text: 'Once upon', end: 'length' } as const
      bench.doubles[double].always('chat', { do: 'say', status: 200, body: whole(said) })
      const { data } = (await ask(bench, model)).body
      assert.deepEqual([data.content, data.finishReason], ['Once upon', 'length'])
      assert.deepEqual(codes(data), ['ANSWER_CUT'])
      const compat = (await askCompatible(bench, model)).body
      assert.deepEqual([compat.choices[0].finish_reason, codes(compat)], ['length', ['ANSWER_CUT']])
      bench.doubles[double].always('chat', inEvents(events(said)))
      const last = (await askStreamed(bench, model)).at(-1)
      assert.deepEqual([last.choices[0].finish_reason, codes(last)], ['length', ['ANSWER_CUT']])
    })

    test('a whole one has no warning', async (t) => {
      const bench = await openBench(t, { doubles, models: testModels })
      const said = { text: 'Paris', end: 'stop' } as const
      bench.doubles[double].always('chat', { do: 'say', status: 200, body: whole(said) })
      const { data } = (await ask(bench, model)).body
      assert.deepEqual(
        [data.content, data.finishReason, data.warnings],
        ['Paris', 'stop', undefined],
      )
    })
  })
}

const codes = ({ warnings }: { warnings?: { code: string }[] }) => warnings?.map(({ code }) => code)

describe('what only one vendor says', () => {
  test('a prompt that Gemini blocks is billed as far as it was counted', async (t) => {
    const bench = await openBench(t, { doubles: ['gemini'] })
    const body = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 400 },
    }
    bench.doubles.gemini.always('chat', { do: 'say', status: 200, body })
    const { message } = assertFailure(await ask(bench, gemini.model), 400, 'CONTENT_REJECTED')
    assert.match(message, /PROHIBITED_CONTENT/)
    bench.doubles.gemini.always('chat', inEvents([body]))
    const chunks = await askStreamed(bench, gemini.model)
    assert.equal(chunks.at(-1)?.error?.code, 'CONTENT_REJECTED')
    assert.deepEqual(await settled(bench, 2), [
      ['FAILED', true],
      ['FAILED', true],
    ])
  })

  test('a function call that Gemini could not read is an error, not an empty answer', async (t) => {
    const bench = await openBench(t, { doubles: ['gemini'] })
    const body = {
      candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }],
      usageMetadata: { promptTokenCount: 400, thoughtsTokenCount: 9 },
    }
    bench.doubles.gemini.always('chat', { do: 'say', status: 200, body })
    const { message } = assertFailure(await ask(bench, gemini.model), 502, 'PROVIDER_ERROR')
    assert.match(message, /MALFORMED_FUNCTION_CALL/)
    assert.deepEqual(await settled(bench, 1), [['FAILED', true]])
  })

  test('a refusal of OpenAI is told in its own words', async (t) => {
    const bench = await openBench(t, { doubles: ['openai'] })
    const refusal = [{ type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] }]
    const body = { ...response({ text: '', end: 'stop' }), output: refusal }
    bench.doubles.openai.always('chat', { do: 'say', status: 200, body })
    const { message } = assertFailure(await ask(bench, openai.model), 400, 'CONTENT_REJECTED')
    assert.match(message, /I will not\./)
  })
})
