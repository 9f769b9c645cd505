// An answer that ended at one of the caller's stop sequences says at which, if its provider says so.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { type Bench, newCustomer } from '../../generation/setting.ts'
import { openGateway, says } from '../openai/setting.ts'

type End = Pick<Anthropic.Message, 'stop_reason' | 'stop_sequence'>

const usage = { input_tokens: 9, output_tokens: 3 }
const anthropic = {
  double: 'anthropic',
  whole: (end: End) => ({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', ...end, usage },
    content: [{ type: 'text', text: 'One' }],
  }),
  events: (end: End) => [
    { type: 'message_start', message: { usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'One' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: end, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ],
} as const

/** A server that is compatible with OpenAI, and names the text beside the reason. */
const local = (field: string) =>
  ({
    double: 'openai',
    whole: ({ stop_sequence }: End) => ({
      choices: [
        {
          ...{ index: 0, finish_reason: 'stop', [field]: stop_sequence },
          message: { content: 'One' },
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 3 },
    }),
    events: ({ stop_sequence }: End) => [
      { choices: [{ index: 0, delta: { content: 'One' } }] },
      {
        choices: [{ index: 0, delta: {}, finish_reason: 'stop', [field]: stop_sequence }],
        usage: { prompt_tokens: 9, completion_tokens: 3 },
      },
    ],
  }) as const

const inEvents = (events: readonly object[]) => ({
  do: 'say' as const,
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
})

const clientOf = async (bench: Bench, key?: string) =>
  new Anthropic({
    ...{ baseURL: bench.url, apiKey: key ?? (await newCustomer(bench)).key, authToken: null },
  })

const order = {
  ...{ model: 'test/anthropic', max_tokens: 50, messages: says('Count'), stop_sequences: ['2'] },
}
const atTwo: End = { stop_reason: 'stop_sequence', stop_sequence: '2' }
const atItsEnd: End = { stop_reason: 'end_turn', stop_sequence: null }

const endOf = ({ stop_reason, stop_sequence }: Anthropic.Message): End => ({
  stop_reason,
  stop_sequence,
})

describe('an answer that ended at a stop sequence says at which, whole and streamed', () => {
  const servers = {
    'test/anthropic': [['Anthropic', anthropic]],
    'test/local': [
      ['vLLM', local('stop_reason')],
      ['SGLang', local('matched_stop')],
    ],
  } as const
  for (const [model, kinds] of Object.entries(servers)) {
    for (const [name, { double, whole, events }] of kinds) {
      test(`from ${name}`, async (t) => {
        const bench = await openGateway(t, { doubles: [double] })
        const { messages } = await clientOf(bench)
        const asked = { ...order, model }
        const says = [
          { do: 'say' as const, status: 200, body: whole(atTwo) },
          inEvents(events(atTwo)),
        ]
        bench.doubles[double].script('chat', ...says)
        assert.deepEqual(endOf(await messages.create(asked)), atTwo)
        assert.deepEqual(endOf(await messages.stream(asked).finalMessage()), atTwo)
      })

      test(`from ${name}, but not at one that the caller did not name`, async (t) => {
        const bench = await openGateway(t, { doubles: [double] })
        const { messages } = await clientOf(bench)
        const end: End = { stop_reason: 'stop_sequence', stop_sequence: '<|im_end|>' }
        const says = [{ do: 'say' as const, status: 200, body: whole(end) }, inEvents(events(end))]
        bench.doubles[double].script('chat', ...says)
        assert.deepEqual(endOf(await messages.create({ ...order, model })), atItsEnd)
        const { stop_sequences: _, ...unstopped } = { ...order, model }
        assert.deepEqual(endOf(await messages.stream(unstopped).finalMessage()), atItsEnd)
      })
    }
  }

  test('from the demo model, which stops at the first of them', async (t) => {
    const { messages } = await clientOf(await openGateway(t))
    const messagesOf = says('What is 12% of 250?')
    const asked = { ...order, model: 'demo-text', messages: messagesOf, stop_sequences: ['0', '='] }
    const end: End = { stop_reason: 'stop_sequence', stop_sequence: '0' }
    assert.deepEqual(endOf(await messages.create(asked)), end)
    assert.deepEqual(endOf(await messages.stream(asked).finalMessage()), end)
  })

  test('over a route, after another model has failed', async (t) => {
    const bench = await openGateway(t, { doubles: ['openai', 'anthropic'] })
    const { key, ask } = await newCustomer(bench)
    const { messages } = await clientOf(bench, key)
    const candidates = [{ model: 'test/local' }, { model: 'test/anthropic' }]
    await ask('PUT', '/routes/writer', { candidates })
    const refused = { do: 'refuse', status: 503 } as const
    bench.doubles.openai.script('chat', refused, refused)
    const whole = { do: 'say' as const, status: 200, body: anthropic.whole(atTwo) }
    bench.doubles.anthropic.script('chat', whole, inEvents(anthropic.events(atTwo)))
    const asked = { ...order, model: 'route:writer' }
    assert.deepEqual(endOf(await messages.create(asked)), atTwo)
    assert.deepEqual(endOf(await messages.stream(asked).finalMessage()), atTwo)
  })

  test('again if it is repeated with its Idempotency-Key', async (t) => {
    const bench = await openGateway(t, { doubles: ['anthropic'] })
    const { messages } = await clientOf(bench)
    const whole = { do: 'say' as const, status: 200, body: anthropic.whole(atTwo) }
    bench.doubles.anthropic.script('chat', whole, inEvents(anthropic.events(atTwo)))
    for (const _ of ['made', 'kept']) {
      const headers = (key: string) => ({ headers: { 'Idempotency-Key': key } })
      assert.deepEqual(endOf(await messages.create(order, headers('whole'))), atTwo)
      const streamed = messages.stream(order, headers('streamed'))
      assert.deepEqual(endOf(await streamed.finalMessage()), atTwo)
    }
    assert.equal(bench.doubles.anthropic.counts.chat, 2)
  })
})

test('an answer that paused in a search of the vendor says so, also without text', async (t) => {
  const bench = await openGateway(t, { doubles: ['anthropic'] })
  const { messages } = await clientOf(bench)
  const paused: End = { stop_reason: 'pause_turn', stop_sequence: null }
  const item = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
  const whole = { ...anthropic.whole(paused), content: [item] }
  const [start = {}, , , ...rest] = anthropic.events(paused)
  const block = { type: 'content_block_start', index: 0, content_block: item }
  const stop = { type: 'content_block_stop', index: 0 }
  const events = inEvents([start, block, stop, ...rest])
  bench.doubles.anthropic.script('chat', { do: 'say', status: 200, body: whole }, events)
  const { stop_sequences: _, ...asked } = order
  for (const said of [await messages.create(asked), await messages.stream(asked).finalMessage()]) {
    assert.deepEqual(endOf(said), paused)
    assert.equal(said.content[0]?.type, 'server_tool_use')
  }
})

test('an answer that does not say at what it stopped has ended its turn', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai', 'gemini'] })
  const { messages } = await clientOf(bench)
  for (const model of ['test/local', 'test/gemini']) {
    const asked = { ...order, model }
    assert.deepEqual(endOf(await messages.create(asked)), atItsEnd)
    assert.deepEqual(endOf(await messages.stream(asked).finalMessage()), atItsEnd)
  }
})
