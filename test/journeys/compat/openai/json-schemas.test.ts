import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attempts, newCustomer } from '../../generation/setting.ts'
import { clientOf, failureOf, openGateway, says } from './setting.ts'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, year: { type: 'integer' } },
  required: ['city', 'year'],
  additionalProperties: false,
}
const response_format = {
  type: 'json_schema' as const,
  json_schema: { name: 'fact', schema, strict: true },
}

const answering = (content: string) => ({
  do: 'say' as const,
  status: 200,
  body: {
    id: 'chatcmpl-double',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  },
})

test('a schema is kept by models whose vendor does not enforce one', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { openai } = bench.doubles
  const { key, accountId } = await newCustomer(bench)
  const client = clientOf(bench, key)
  const order = { model: 'test/local', messages: says('Where?'), response_format }
  const right = '{"city":"Paris","year":1889}'

  await t.test('a right answer is passed on, without its fence', async () => {
    openai.script('chat', answering(`\`\`\`json\n${right}\n\`\`\``))
    const { choices } = await client.chat.completions.create(order)
    assert.equal(choices[0]?.message.content, right)
    const sent = openai.requests.at(-1)?.body as { response_format: object; messages: object[] }
    assert.deepEqual(sent.response_format, { type: 'json_object' })
    assert.match(JSON.stringify(sent.messages), /JSON Schema/)
  })

  await t.test(
    'a wrong one is repaired once, streamed or not, and both calls are paid',
    async () => {
      openai.reset()
      openai.script('chat', answering('{"city":"Paris"}'), answering(right))
      const whole = await client.chat.completions.create(order)
      assert.equal(whole.choices[0]?.message.content, right)
      assert.equal(whole.usage?.total_tokens, 30)
      assert.match(JSON.stringify(openai.requests.at(-1)?.body), /year/)
      openai.script('chat', answering('no JSON at all'), answering(right))
      const stream = client.chat.completions.stream(order)
      assert.equal((await stream.finalChatCompletion()).choices[0]?.message.content, right)
      openai.script('chat', answering('[]'), answering(right))
      const format = { type: 'json_schema' as const, ...response_format.json_schema }
      const response = await client.responses.create({
        model: 'test/local',
        input: 'Where?',
        text: { format },
      })
      assert.equal(response.output_text, right)
      assert.equal(openai.counts.chat, 6)
      const own = (await attempts(bench)).filter((row) => row.account_id === accountId)
      assert.equal(own.length, 7)
      assert.ok(own.every(({ outcome }) => outcome === 'SUCCEEDED'))
    },
  )

  await t.test('one that stays wrong is an error that names the parameter', async () => {
    openai.script('chat', answering('{}'), answering('{}'))
    const failed = await failureOf(client.chat.completions.create(order))
    assert.deepEqual(
      [failed.status, failed.code, failed.param],
      [400, 'UNSUPPORTED_PARAMETER', 'response_format'],
    )
  })

  await t.test('what is no schema is refused before anything is paid', async () => {
    openai.reset()
    const bad = { type: 'json_schema' as const, json_schema: { name: 'x', schema: { type: 7 } } }
    const failed = await failureOf(
      client.chat.completions.create({ ...order, response_format: bad as never }),
    )
    assert.deepEqual([failed.status, failed.param], [400, 'response_format.json_schema.schema'])
    assert.equal(openai.counts.chat, 0)
  })

  await t.test('the demo model fills it from the text it is given', async () => {
    const { choices } = await client.chat.completions.create({
      model: 'demo-text',
      messages: says('The tower was built in 1889.\nCity: Paris'),
      response_format,
    })
    assert.deepEqual(JSON.parse(choices[0]?.message.content ?? ''), { city: 'Paris', year: 1889 })
    // As pydantic writes a model within a model.
    const nested = {
      type: 'object',
      properties: { fact: { $ref: '#/$defs/Fact' } },
      required: ['fact'],
      $defs: { Fact: schema },
    }
    const inner = await client.chat.completions.create({
      model: 'demo-text',
      messages: says('The tower was built in 1889.\nCity: Paris'),
      response_format: { type: 'json_schema', json_schema: { name: 'nested', schema: nested } },
    })
    assert.deepEqual(JSON.parse(inner.choices[0]?.message.content ?? ''), {
      fact: { city: 'Paris', year: 1889 },
    })
  })

  await t.test('a right answer has its log probabilities, streamed or not', async () => {
    const logprobs = { content: [{ token: 'x', logprob: -0.5, bytes: [120], top_logprobs: [] }] }
    const said = answering(right)
    const body = { ...said.body, choices: [{ ...said.body.choices[0], logprobs }] }
    openai.script('chat', { ...said, body }, { ...said, body })
    const asked = { ...order, logprobs: true }
    const whole = await client.chat.completions.create(asked)
    const streamed = await client.chat.completions.stream(asked).finalChatCompletion()
    for (const { choices } of [whole, streamed])
      assert.deepEqual(choices[0]?.logprobs?.content, logprobs.content)
  })
})
