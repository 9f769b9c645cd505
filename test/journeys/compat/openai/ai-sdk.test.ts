import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import {
  embedMany,
  generateImage,
  generateText,
  isStepCount,
  jsonSchema,
  Output,
  streamText,
  tool,
} from 'ai'
import { newCustomer } from '../../generation/setting.ts'
import { openGateway } from './setting.ts'

const fact = jsonSchema<{ city: string; year: number }>({
  type: 'object',
  properties: { city: { type: 'string' }, year: { type: 'integer' } },
  required: ['city', 'year'],
  additionalProperties: false,
})

const weather = tool({
  description: 'Current weather of a place',
  inputSchema: jsonSchema<{ location: string }>({
    type: 'object',
    properties: { location: { type: 'string' } },
    required: ['location'],
    additionalProperties: false,
  }),
  execute: async ({ location }) => ({ weather: `rain in ${location}` }),
})

test('the AI SDK, through each of the APIs it speaks', async (t) => {
  const bench = await openGateway(t)
  const { key: apiKey } = await newCustomer(bench)
  const baseURL = `${bench.url}/v1`
  const openai = createOpenAI({ baseURL, apiKey })
  const anthropic = createAnthropic({ baseURL, apiKey })
  const models = {
    'chat completions': openai.chat('demo-text'),
    responses: openai.responses('demo-text'),
    messages: anthropic('demo-text'),
  }
  for (const [api, model] of Object.entries(models)) {
    await t.test(`writes text over ${api}, whole and streamed`, async () => {
      const asked = { model, prompt: 'What is 12% of 250?' }
      assert.match((await generateText(asked)).text, /30/)
      let text = ''
      for await (const piece of streamText(asked).textStream) text += piece
      assert.match(text, /30/)
    })

    await t.test(`fills an object over ${api}`, async () => {
      const { output } = await generateText({
        model,
        output: Output.object({ schema: fact }),
        prompt: 'The tower was built in 1889.\nCity: Paris',
      })
      assert.deepEqual(output, { city: 'Paris', year: 1889 })
    })

    await t.test(`calls tools over ${api} until the answer is there`, async () => {
      const { text, steps } = await generateText({
        model,
        tools: { get_weather: weather },
        stopWhen: isStepCount(3),
        prompt: "What's the weather in Paris?",
      })
      assert.match(text, /rain in Paris/)
      assert.equal(steps.length, 2)
    })
  }

  await t.test('makes vectors and images', async () => {
    const model = openai.embedding('demo-embedding')
    const { embeddings } = await embedMany({ model, values: ['one', 'two'] })
    assert.deepEqual(
      embeddings.map(({ length }) => length),
      [256, 256],
    )
    const { image } = await generateImage({
      model: openai.image('demo-image'),
      prompt: 'A blue door',
      size: '512x512',
    })
    assert.equal(image.mediaType, 'image/png')
  })
})

test('the AI SDK says why a stream broke off, through each of the APIs it speaks', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { key: apiKey } = await newCustomer(bench)
  const baseURL = `${bench.url}/v1`
  const openai = createOpenAI({ baseURL, apiKey })
  const models = {
    'chat completions': openai.chat('test/local'),
    responses: openai.responses('test/local'),
    messages: createAnthropic({ baseURL, apiKey })('test/local'),
  }
  for (const [api, model] of Object.entries(models)) {
    bench.doubles.openai.script('chat', { do: 'break', after: 4, by: 'error' })
    const said: unknown[] = []
    const { textStream } = streamText({
      ...{ model, prompt: 'Hello', maxRetries: 0 },
      onError: ({ error }) => void said.push(error),
    })
    for await (const _ of textStream);
    assert.match(inspect(said), /local: /, api)
    assert.doesNotMatch(inspect(said), /failed schema validation/, api)
  }
})
