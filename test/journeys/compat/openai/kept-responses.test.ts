import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount, jsonSchema, type ModelMessage, tool } from 'ai'
import type OpenAI from 'openai'
import { newCustomer } from '../../generation/setting.ts'
import { clientOf, failureOf, openGateway } from './setting.ts'

const model = 'test/openai'

type Order = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>

/** The client's types do not have it. */
const isStored = (response: OpenAI.Responses.Response) =>
  (response as OpenAI.Responses.Response & { store?: boolean }).store

const tools: OpenAI.Responses.FunctionTool[] = [
  { type: 'function', name: 'get_weather', strict: false, parameters: { type: 'object' } },
]

for (const isStreamed of [false, true]) {
  const how = isStreamed ? 'streamed' : 'whole'
  test(`a response, ${how}, is continued by its id, and the model sees all of it`, async (t) => {
    const bench = await openGateway(t, { doubles: ['openai'] })
    const { responses } = clientOf(bench, (await newCustomer(bench)).key)
    const create = (body: Order): Promise<OpenAI.Responses.Response> =>
      isStreamed ? responses.stream(body).finalResponse() : responses.create(body)
    const asked = await create({ model, input: 'Paris', tools, instructions: 'Be brief.' })
    assert.deepEqual([isStored(asked), asked.previous_response_id], [true, null])
    const call = asked.output.find((item) => item.type === 'function_call')
    assert.ok(call?.type === 'function_call')
    const told = await create({
      model,
      tools,
      previous_response_id: asked.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: '{"result":"rain"}' }],
    })
    assert.match(told.output_text, /rain/)
    assert.equal(told.previous_response_id, asked.id)
    await create({ model, previous_response_id: told.id, input: 'Thanks' })
    const sent = JSON.stringify(bench.doubles.openai.requests.at(-1)?.body)
    for (const said of [/Paris/, /get_weather/, /rain/, /Thanks/]) assert.match(sent, said)
    // Instructions are those of one request, as at OpenAI.
    assert.doesNotMatch(sent, /Be brief/)
  })
}

test('a kept response is read, listed and deleted by its own account alone', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { responses } = clientOf(bench, (await newCustomer(bench)).key)
  const stranger = clientOf(bench, (await newCustomer(bench)).key).responses
  const first = await responses.create({ model, input: 'One', metadata: { run: '7' } })
  const second = await responses.create({ model, input: 'Two', previous_response_id: first.id })
  assert.deepEqual(await responses.retrieve(first.id), first)
  const items = await responses.inputItems.list(second.id, { order: 'asc' })
  assert.deepEqual(
    items.data.map((item) => ('content' in item ? JSON.stringify(item.content) : item.type)),
    [
      '"One"',
      JSON.stringify(first.output[0] && 'content' in first.output[0] && first.output[0].content),
      '"Two"',
    ],
  )
  const [newest] = (await responses.inputItems.list(second.id, { limit: 1 })).data
  assert.equal(newest?.id, items.data.at(-1)?.id)
  const streamed = await failureOf(responses.retrieve(first.id, { stream: true }))
  assert.deepEqual([streamed.status, streamed.param], [400, 'stream'])
  const lost = await failureOf(responses.inputItems.list(second.id, { after: 'msg_none' }))
  assert.deepEqual([lost.status, lost.param], [400, 'after'])
  const whole = { include: ['message.output_text.logprobs'] as const, stream: false as const }
  assert.equal(
    (await responses.retrieve(first.id, { ...whole, include: [...whole.include] })).id,
    first.id,
  )
  const missing = [
    () => stranger.retrieve(first.id),
    () => stranger.inputItems.list(first.id),
    () => stranger.delete(first.id),
    () => responses.retrieve('resp_nobody'),
  ]
  for (const call of missing) assert.equal((await failureOf(call())).status, 404)
  const stolen = stranger.create({ model, input: 'Hi', previous_response_id: first.id })
  assert.equal((await failureOf(stolen)).code, 'previous_response_not_found')
  await responses.delete(first.id)
  assert.equal((await failureOf(responses.retrieve(first.id))).status, 404)
  const cut = await failureOf(
    responses.create({ model, input: 'Hi', previous_response_id: second.id }),
  )
  assert.deepEqual(
    [cut.status, cut.code, cut.param],
    [400, 'previous_response_not_found', 'previous_response_id'],
  )
})

test('what is not to be stored is not, and what expires is gone', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], env: { RESPONSES_KEPT_HOURS: '2' } })
  const { responses } = clientOf(bench, (await newCustomer(bench)).key)
  const count = async () =>
    Number((await bench.db.query<{ n: number }>('select count(*) as n from kept_responses'))[0]?.n)
  const unstored = await responses.create({ model, input: 'Hi', store: false })
  assert.equal(isStored(unstored), false)
  assert.equal(await count(), 0)
  assert.equal((await failureOf(responses.retrieve(unstored.id))).status, 404)
  const stored = await responses.create({ model, input: 'Hi' })
  assert.equal(await count(), 1)
  bench.clock.advance(3 * 3_600_000)
  assert.equal((await failureOf(responses.retrieve(stored.id))).status, 404)

  const off = await openGateway(t, { doubles: ['openai'], env: { RESPONSES_KEPT_HOURS: '0' } })
  const client = clientOf(off, (await newCustomer(off)).key)
  const answer = await client.responses.create({ model, input: 'Hi', store: true })
  assert.equal(isStored(answer), false)
  const next = { model, input: 'Hi', previous_response_id: answer.id }
  assert.match((await failureOf(client.responses.create(next))).error.message, /keeps no responses/)
})

test("the AI SDK's default provider goes past its first turn, with functions", async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { key: apiKey } = await newCustomer(bench)
  const bodies: string[] = []
  const provider = createOpenAI({
    baseURL: `${bench.url}/v1`,
    apiKey,
    fetch: (url, init) => {
      bodies.push(String(init?.body))
      return fetch(url, init)
    },
  })
  const get_weather = tool({
    inputSchema: jsonSchema<{ words: string }>({ type: 'object' }),
    execute: async () => ({ result: 'rain' }),
  })
  const messages: ModelMessage[] = [{ role: 'user', content: 'Paris' }]
  const options = { model: provider(model), tools: { get_weather }, stopWhen: isStepCount(4) }
  const first = await generateText({ ...options, messages })
  assert.match(first.text, /rain/)
  messages.push(...first.response.messages, { role: 'user', content: 'And now say goodbye' })
  const second = await generateText({ ...options, messages })
  assert.match(second.text, /rain/)
  assert.match(bodies.at(-1) ?? '', /item_reference/)
  const sent = JSON.stringify(bench.doubles.openai.requests.at(-1)?.body)
  for (const said of [/Paris/, /rain/, /goodbye/]) assert.match(sent, said)
  assert.doesNotMatch(sent, /item_reference/)
})

test('an item that is not kept is named, and none is left out in silence', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { responses } = clientOf(bench, (await newCustomer(bench)).key)
  const { output } = await responses.create({ model, input: 'Hi' })
  const reference = (id: string) => ({ type: 'item_reference' as const, id })
  const next = { role: 'user' as const, content: 'Go on' }
  const input = [next, reference(output[0]?.id ?? ''), next]
  await responses.create({ model, input })
  assert.match(JSON.stringify(bench.doubles.openai.requests.at(-1)?.body), /You said: Hi/)
  for (const id of ['msg_nobody', `msg_${crypto.randomUUID()}-0`]) {
    const failed = await failureOf(responses.create({ model, input: [reference(id), next] }))
    assert.deepEqual([failed.status, failed.param], [404, 'input'])
    assert.match(failed.error.message, /not found/)
  }
})

test('tokens of an input are counted, and compaction is refused in words', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const client = clientOf(bench, (await newCustomer(bench)).key)
  const body = { model, input: 'Hello there, how are you?' }
  const counted = await client.post<{ input_tokens: number }>('/responses/input_tokens', { body })
  assert.ok(counted.input_tokens > 3 && counted.input_tokens < 30)
  const failed = await failureOf(client.post('/responses/compact', { body }))
  assert.equal(failed.status, 404)
  assert.match(failed.error.message, /summary/)
  assert.equal(bench.doubles.openai.counts.chat, 0)
})
