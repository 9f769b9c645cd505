import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attempts, newCustomer } from '../../generation/setting.ts'
import { clientOf, failureOf, openGateway, says } from './setting.ts'

const token = (text: string) => ({
  token: text,
  logprob: -0.25,
  bytes: [...Buffer.from(text)],
  top_logprobs: [{ token: 'Ho', logprob: -2, bytes: [72, 111] }],
})

const choice = (index: number, content: string) => ({
  index,
  message: { role: 'assistant', content },
  logprobs: { content: [token(content)], refusal: null },
  finish_reason: 'stop',
})

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

const options = {
  n: 2,
  logprobs: true,
  top_logprobs: 1,
  frequency_penalty: 0.5,
  presence_penalty: -0.5,
  logit_bias: { '42': -100 },
  verbosity: 'low' as const,
}

test('a compatible server is asked for all of it, and its whole answer is passed on', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { openai } = bench.doubles
  const { key, accountId } = await newCustomer(bench)
  const { completions } = clientOf(bench, key).chat
  const order = { model: 'test/local', messages: says('Hello') }
  const body = { id: 'x', choices: [choice(0, 'Hi'), choice(1, 'Hey')], usage }
  openai.script('chat', { do: 'say', status: 200, body })
  const answer = await completions.create({ ...order, ...options })
  assert.deepEqual(
    answer.choices.map(({ index, message, logprobs }) => [index, message.content, logprobs]),
    [
      [0, 'Hi', { content: [token('Hi')], refusal: null }],
      [1, 'Hey', { content: [token('Hey')], refusal: null }],
    ],
  )
  const sent = openai.requests.at(-1)?.body as Record<string, unknown>
  assert.deepEqual(
    Object.fromEntries(Object.keys(options).map((name) => [name, sent[name]])),
    options,
  )
  // Both answers are one attempt, with what the provider counted for them together.
  const own = (await attempts(bench)).filter((row) => row.account_id === accountId)
  assert.deepEqual(
    own.map(({ outcome, cost_micros }) => [outcome, Number(cost_micros)]),
    [['SUCCEEDED', 10 * 2 + 5 * 8]],
  )
  await completions.create({
    ...order,
    n: 1,
    logprobs: false,
    top_logprobs: 0,
    frequency_penalty: 0,
    logit_bias: {},
    verbosity: 'medium',
  })
  const usual = openai.requests.at(-1)?.body as Record<string, unknown>
  assert.deepEqual(Object.keys(usual).sort(), ['messages', 'model'])
})

test('several answers are streamed by their index, each with its own end', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { openai } = bench.doubles
  const { key, accountId } = await newCustomer(bench)
  const { completions } = clientOf(bench, key).withOptions({ maxRetries: 0 }).chat
  const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
  const chunk = (index: number, delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'x', choices: [{ index, delta, finish_reason }] })}\n\n`
  const counted = `data: ${JSON.stringify({ id: 'x', choices: [], usage })}\n\n`
  const say = (...lines: string[]) =>
    openai.script('chat', {
      ...{ do: 'say', status: 200, headers: { 'content-type': 'text/event-stream' } },
      body: Buffer.from(`${lines.join('')}data: [DONE]\n\n`),
    })
  const begun = [chunk(1, { content: 'Hey' }), chunk(0, { content: 'Hi' })]
  const ended = [chunk(0, {}, 'stop'), chunk(2, {}, 'tool_calls')]
  say(...begun, chunk(2, { tool_calls: [call] }), ...ended, chunk(1, {}, 'length'), counted)
  const order = { model: 'test/local', messages: says('Hello'), n: 3 }
  const { choices } = await completions.stream(order).finalChatCompletion()
  assert.deepEqual(
    choices.map(({ index, message, finish_reason }) => [index, message.content, finish_reason]),
    [
      [0, 'Hi', 'stop'],
      [1, 'Hey', 'length'],
      [2, '', 'tool_calls'],
    ],
  )
  assert.equal(choices[2]?.message.tool_calls?.length, 1)
  assert.match(JSON.stringify(openai.requests.at(-1)?.body), /"n":3/)
  // One that the provider never ended makes the whole a broken one.
  say(...begun, ...ended, counted)
  await assert.rejects(completions.stream(order).finalChatCompletion())
  const own = (await attempts(bench)).filter((row) => row.account_id === accountId)
  assert.deepEqual(
    own.map(({ outcome, cost_micros }) => [outcome, Number(cost_micros) >= 10 * 2 + 5 * 8]),
    [
      ['SUCCEEDED', true],
      ['UNKNOWN', true],
    ],
  )
  const schema = { name: 'x', schema: { type: 'object' } }
  const checked = {
    ...order,
    response_format: { type: 'json_schema', json_schema: schema } as const,
  }
  const failed = await failureOf(completions.create(checked))
  assert.deepEqual([failed.code, failed.param], ['UNSUPPORTED_PARAMETER', 'n'])
})

test('under a spend limit each of several answers is reserved for', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  // 8 millionths per token of the answer: 100 tokens fit, 4 times 100 do not.
  const { key } = await newCustomer(bench, { spendLimit: 0.0012 })
  const { completions } = clientOf(bench, key).chat
  const order = { model: 'test/local', messages: says('Hi'), max_tokens: 100 }
  const failed = await failureOf(completions.create({ ...order, n: 4 }))
  assert.equal(failed.code, 'SPEND_LIMIT_REACHED')
  await completions.create(order)
})

test('the probabilities of a streamed answer come with its pieces', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { key } = await newCustomer(bench)
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: 'x', choices: [{ ...choice(0, 'Hi'), delta, finish_reason }] })}\n\n`
  bench.doubles.openai.script('chat', {
    do: 'say',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: Buffer.from(`${chunk({ content: 'Hi' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`),
  })
  const order = { model: 'test/local', messages: says('Hello'), logprobs: true }
  const stream = clientOf(bench, key).chat.completions.stream(order)
  const { choices } = await stream.finalChatCompletion()
  assert.deepEqual(choices[0]?.logprobs?.content, [token('Hi')])
})

test('what a provider has no way to be asked for is refused by name', async (t) => {
  const doubles = ['openai', 'anthropic', 'gemini'] as const
  const bench = await openGateway(t, { doubles })
  const client = clientOf(bench, (await newCustomer(bench)).key)
  const names = Object.keys(options) as (keyof typeof options)[]
  const taken: Record<string, readonly string[]> = {
    'test/openai': ['verbosity', 'logprobs', 'top_logprobs'],
    'test/gemini': ['frequency_penalty', 'presence_penalty'],
    'test/anthropic': [],
    'demo-text': [],
  }
  for (const [model, known] of Object.entries(taken)) {
    for (const name of names) {
      if (name === 'top_logprobs') continue
      const asked = client.chat.completions.create({
        model,
        messages: says('Hi'),
        [name]: options[name],
      })
      if (known.includes(name)) await asked
      else {
        const { status, param } = await failureOf(asked)
        assert.deepEqual([model, status, param], [model, 400, name])
      }
    }
  }
  const sent = bench.doubles.openai.requests.map(({ body }) => body as Record<string, unknown>)
  assert.deepEqual(
    sent.map(({ text, include }) => text ?? include),
    [['message.output_text.logprobs'], { verbosity: 'low' }],
  )
  const { output } = await client.responses.create({
    model: 'test/openai',
    input: 'Hi',
    text: { verbosity: 'high' },
    include: ['message.output_text.logprobs'],
    top_logprobs: 2,
  })
  assert.equal(output[0]?.type, 'message')
  const last = bench.doubles.openai.requests.at(-1)?.body as Record<string, unknown>
  assert.deepEqual([last.text, last.top_logprobs], [{ verbosity: 'high' }, 2])
})
