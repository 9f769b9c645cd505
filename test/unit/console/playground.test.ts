import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Model } from '#console/api/types.ts'
import { playgroundSearch } from '#console/screens/playground/address.ts'
import { chatCode, creativeCode } from '#console/screens/playground/as-code.ts'
import {
  asGraph,
  choicesOf,
  creativeBody,
  fittingSettings,
  readSeed,
  requestsOf,
} from '#console/screens/playground/creative.ts'
import { stepHistory, withPrompt } from '#console/screens/playground/prompt-history.ts'
import { priceText } from '#console/shared/model-price.ts'

const video: Model = {
  id: 'v',
  name: 'V',
  provider: 'p',
  kind: 'VIDEO',
  description: '',
  enabled: true,
  capabilities: {
    inputModalities: ['text'],
    videoAspectRatios: ['16:9', '9:16'],
    videoSeconds: { min: 4, max: 8, default: 6 },
  },
  pricing: { currency: 'USD', perSecond: 0.1 },
}

test('only what the model declares can be set, and a length is brought into its range', () => {
  assert.deepEqual(
    choicesOf(video).map(({ key }) => key),
    ['videoAspectRatio'],
  )
  assert.deepEqual(
    fittingSettings(video, {
      videoAspectRatio: '16:9',
      videoResolution: '8k',
      imageQuality: 'high',
      videoSeconds: 30,
      videoGenerateAudio: true,
    }),
    { videoAspectRatio: '16:9', videoSeconds: 8 },
  )
  assert.deepEqual(fittingSettings(video, { videoAspectRatio: '1:1' }), {})
})

test('a length is brought to the nearest one where the model takes certain lengths only', () => {
  const videoSeconds = { min: 4, max: 8, default: 8, values: [4, 6, 8] }
  const model = { ...video, capabilities: { ...video.capabilities, videoSeconds } }
  const lengths = [1, 5, 6, 7, 30].map((seconds) =>
    fittingSettings(model, { videoSeconds: seconds }),
  )
  assert.deepEqual(
    lengths.map((fitting) => fitting.videoSeconds),
    [4, 4, 6, 6, 8],
  )
})

test('a price is told by second, or as not known', () => {
  assert.equal(priceText({ ...video, pricing: null }, 'en'), 'no price known')
  assert.equal(priceText(video, 'en'), '$0.10 a second')
})

test('several at once are a request each, with seeds that differ', () => {
  const request = { model: 'm', prompt: 'p', settings: {} }
  assert.deepEqual(requestsOf(request, 3), [request, request, request])
  const seeds = requestsOf({ ...request, seed: 2 ** 31 - 2 }, 3).map(({ seed }) => seed)
  assert.deepEqual(seeds, [2 ** 31 - 2, 2 ** 31 - 1, 0])
  assert.equal(creativeBody({ ...request, seed: 7 }).seed, 7)
  assert.deepEqual(['', ' 12 ', '-1', '1.5', 'x', '2147483648'].map(readSeed), [
    ...[undefined, 12, null, null, null, null],
  ])
})

test('an arrow key in an empty prompt brings earlier prompts back, and never replaces typing', () => {
  const history = withPrompt(withPrompt(withPrompt([], 'first'), 'second'), 'first')
  assert.deepEqual(history, ['first', 'second'])
  assert.equal(stepHistory(history, '', 'older'), 'first')
  assert.equal(stepHistory(history, 'first', 'older'), 'second')
  assert.equal(stepHistory(history, 'second', 'older'), null)
  assert.equal(stepHistory(history, 'second', 'newer'), 'first')
  assert.equal(stepHistory(history, 'first', 'newer'), '')
  assert.equal(stepHistory(history, '', 'newer'), null)
  assert.equal(stepHistory(history, 'something typed', 'older'), null)
})

test('a request becomes a graph whose wires lead from the prompt to the result', () => {
  const { nodes, connections } = asGraph('IMAGE', {
    model: 'm',
    prompt: 'a boat',
    settings: { imageQuality: 'high' },
    image: 'https://a.example/b.png',
  })
  assert.deepEqual(
    nodes.map(({ type }) => type),
    ['input.text', 'input.image', 'image.generate', 'output'],
  )
  assert.deepEqual(
    connections.map(({ source, target, targetHandle }) => `${source}>${target}.${targetHandle}`),
    ['prompt>generate.prompt', 'reference>generate.image', 'generate>result.value'],
  )
})

test('commands keep quotes whole and hold no key', () => {
  const { curl } = creativeCode('http://h', 'IMAGE', { prompt: "it's" })
  assert.ok(curl.includes(`'{"prompt":"it'\\''s"}'`))
  for (const text of Object.values(chatCode('http://h', {}))) assert.ok(!text.includes('sk_'))
})

test('an address starts the playground and nothing else', () => {
  assert.deepEqual(playgroundSearch({ model: 'm', prompt: 'p', other: 1, image: '' }), {
    model: 'm',
    prompt: 'p',
  })
})
