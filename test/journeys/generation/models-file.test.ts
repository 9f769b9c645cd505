import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startDouble } from '../../support/provider-doubles/double.ts'
import { wires } from '../../support/provider-doubles/wires.ts'
import { type Body, P } from '../../support/server.ts'
import {
  type Bench,
  type BenchOptions,
  chat,
  ended,
  openBench,
  says,
  submitted,
} from './setting.ts'

const listed = async (bench: Bench): Promise<Body[]> =>
  (await bench.call(`${P}/models`)).body.data.items
const idsOf = (models: Body[]): string[] => models.map((model) => model.id)

describe('the model list', () => {
  test('has only the demo models where no key is set, free and marked as demos', async (t) => {
    const bench = await openBench(t)
    const models = await listed(bench)
    assert.deepEqual(idsOf(models), ['demo-text', 'demo-code', 'demo-image', 'demo-video'])
    assert.deepEqual(
      models.map((model) => model.kind),
      ['TEXT', 'CODE', 'IMAGE', 'VIDEO'],
    )
    for (const { enabled, demo, provider, pricing } of models) {
      assert.deepEqual([enabled, demo, provider], [true, true, 'embedded'])
      const { currency, ...prices } = pricing
      assert.equal(currency, 'USD')
      assert.ok(Object.values(prices).every((price) => price === 0))
    }
  })

  test('has the models of a provider whose key is set, and no price of 0 among them', async (t) => {
    const bench = await openBench(t, { doubles: ['fal', 'openai'] })
    const models = (await listed(bench)).filter((model) => model.provider !== 'embedded')
    assert.deepEqual([...new Set(models.map((model) => model.provider))].sort(), ['fal', 'openai'])
    for (const { id, pricing, demo } of models) {
      assert.equal(demo, undefined)
      const { currency, longContext = [], ...prices } = pricing ?? {}
      assert.ok(
        [prices, ...longContext]
          .flatMap((rates) => Object.values(rates))
          .every((price) => Number(price) > 0),
        id,
      )
    }
  })
})

describe('MODELS_FILE', () => {
  test('says when a model ends, and workflows that use it are warned', async (t) => {
    const bench = await openBench(t, {
      models: {
        models: [
          {
            id: 'demo-code',
            lifecycle: { shutdownAt: '2030-01-31', replacement: 'demo-text' },
          },
        ],
      },
    })
    const lifecycles = (await listed(bench)).map(({ id, lifecycle }) => [id, lifecycle])
    assert.deepEqual(Object.fromEntries(lifecycles), {
      ...{ 'demo-text': undefined, 'demo-image': undefined, 'demo-video': undefined },
      'demo-code': { status: 'retiring', shutdownAt: '2030-01-31', replacement: 'demo-text' },
    })
    const nodes = [{ id: 'n', type: 'text.generate', data: { model: 'demo-code', prompt: 'x' } }]
    const { body } = await bench.call({
      ...{ method: 'POST', path: `${P}/workflows/validate` },
      json: { data: { nodes, connections: [] } },
    })
    const codes = body.data.warnings.map(({ code }: Body) => code)
    assert.ok(codes.includes('MODEL_RETIRING'), codes)
  })

  test('adds, disables, renames and re-prices models', async (t) => {
    const models = {
      models: [
        { id: 'demo-video', enabled: false },
        { id: 'demo-text', name: 'Sample' },
        { id: 'fal/flux-schnell', name: 'Our painter', pricing: { perImage: 0.5 } },
        {
          id: 'house/blend',
          provider: 'openai',
          providerModel: 'ft:gpt-6:house',
          kind: 'CODE',
          description: 'Tuned here.',
          capabilities: { maxOutputTokens: 10 },
          pricing: { inputPerMillionTokens: 1, outputPerMillionTokens: 2 },
        },
        { id: 'anthropic/claude-haiku-5-5', name: 'Not here without a key' },
      ],
    }
    const bench = await openBench(t, { doubles: ['openai', 'fal'], models })
    const all = await listed(bench)
    const ids = idsOf(all)
    assert.ok(!ids.includes('demo-video') && !ids.includes('anthropic/claude-haiku-5-5'))
    const sample = all.find((model) => model.id === 'demo-text')
    assert.deepEqual([sample.name, sample.demo], ['Sample', true])
    const painter = all.find((model) => model.id === 'fal/flux-schnell')
    assert.deepEqual(
      [painter.name, painter.pricing.perImage, painter.kind],
      ['Our painter', 0.5, 'IMAGE'],
    )
    assert.ok(painter.capabilities.imageAspectRatios.length > 0)
    const house = all.find((model) => model.id === 'house/blend')
    assert.deepEqual(
      [house.kind, house.description, house.capabilities.maxOutputTokens, house.enabled],
      ['CODE', 'Tuned here.', 10, true],
    )
    const answer = await chat(bench, { model: 'house/blend', messages: [says('Hello')] })
    assert.equal(answer.body.data.cost.amount, (21 + 2 * 8) / 1_000_000)
    assert.deepEqual(bench.doubles.openai.requests[0]?.body, {
      model: 'ft:gpt-6:house',
      input: [says('Hello')],
      store: false,
    })
    bench.doubles.fal.plan('succeeded')
    const task = await ended(bench, await submitted(bench, 'image', { model: 'fal/flux-schnell' }))
    assert.equal(task.cost.amount, 0.5)
  })

  test('adds servers that speak the OpenAI protocol, each with its own key or none', async (t) => {
    const first = await startDouble(wires.openai, { key: 'key-in-the-file' })
    const second = await startDouble(wires.openai, { key: 'key-in-a-variable' })
    t.after(() => Promise.all([first.close(), second.close()]))
    const models = {
      endpoints: [
        { name: 'first', baseUrl: `${first.url}/`, apiKey: first.key },
        { name: 'second', baseUrl: second.url, apiKeyVariable: 'SECOND_KEY' },
      ],
      models: [
        { id: 'llama', provider: 'first', providerModel: 'llama3.2', kind: 'TEXT' },
        { id: 'sdxl', provider: 'second', kind: 'IMAGE' },
        { id: 'wan', provider: 'second', kind: 'VIDEO' },
      ],
    }
    const bench = await openBench(t, { models, env: { SECOND_KEY: second.key } })
    second.plan('succeeded')
    const answer = await chat(bench, { model: 'llama', messages: [says('Hello')], maxTokens: 5 })
    assert.equal(answer.body.data.content, 'You said: Hello')
    assert.deepEqual(first.requests[0]?.body, {
      model: 'llama3.2',
      messages: [says('Hello')],
      max_tokens: 5,
    })
    const image = await ended(bench, await submitted(bench, 'image', { model: 'sdxl' }))
    const video = await ended(bench, await submitted(bench, 'video', { model: 'wan' }))
    assert.deepEqual([image.status, video.status], ['COMPLETED', 'COMPLETED'])
    assert.deepEqual([first.counts.unauthorized, second.counts.unauthorized], [0, 0])
    assert.ok(!JSON.stringify(await listed(bench)).includes(first.key))
  })

  const endpoint = { name: 'here', baseUrl: 'http://127.0.0.1:1/v1' }
  const broken: [what: string, BenchOptions['models'], RegExp][] = [
    ['is not JSON', '{ "models": [', /MODELS_FILE .*models\.json is not JSON/],
    ['has a member nobody knows', { model: [] }, /MODELS_FILE[\s\S]*\/: "model" is not known/],
    [
      'has a price that is no number',
      { models: [{ id: 'demo-text', pricing: { perImage: '1' } }] },
      /\/models\/0\/pricing\/perImage: must be number/,
    ],
    [
      'misspells a price',
      { models: [{ id: 'demo-text', pricing: { perPicture: 1 } }] },
      /\/models\/0\/pricing: "perPicture" is not known: use inputPerMillionTokens, .*perImage/,
    ],
    [
      'misspells a capability',
      { models: [{ id: 'demo-text', capabilities: { maxOutputToken: 5 } }] },
      /"maxOutputToken" is not known: did you mean "maxOutputTokens"\?/,
    ],
    [
      'has a kind that does not exist',
      { models: [{ id: 'demo-text', kind: 'text' }] },
      /\/models\/0\/kind: must be one of TEXT, CODE, IMAGE, VIDEO, EMBEDDING, SPEECH, TRANSCRIPTION, but is "text"/,
    ],
    [
      'has a modality that does not exist',
      { models: [{ id: 'demo-text', capabilities: { inputModalities: ['smell'] } }] },
      /\/inputModalities\/0: must be one of text, image, video, audio, but is "smell"/,
    ],
    [
      'has a model without a proper name',
      { models: [{ id: 'two words' }] },
      /\/models\/0\/id: must be 1 to 128 letters, digits and/,
    ],
    [
      'adds a model without saying who serves it',
      { models: [{ id: 'mine', kind: 'TEXT' }] },
      /MODELS_FILE .*adds "mine".*a kind \(TEXT, CODE, IMAGE, VIDEO, EMBEDDING, SPEECH, TRANSCRIPTION\) and a provider/,
    ],
    [
      'enables a model whose provider has no key',
      { models: [{ id: 'openai/gpt-6-luna', enabled: true }] },
      /MODELS_FILE .*enables "openai\/gpt-6-luna".*not configured/,
    ],
    [
      'falls back to a model nobody knows',
      { models: [{ id: 'demo-text', fallbacks: ['nothing'] }] },
      /MODELS_FILE .*fall back to "nothing"/,
    ],
    [
      'falls back to a model of another kind',
      { models: [{ id: 'demo-text', fallbacks: ['demo-image'] }] },
      /MODELS_FILE .*fall back to "demo-image", which is of kind IMAGE/,
    ],
    [
      'misspells a provider',
      { models: [{ id: 'mine', provider: 'opnai', kind: 'TEXT' }] },
      /MODELS_FILE .*"mine" to the unknown provider "opnai": use one of .*embedded/,
    ],
    [
      'names an endpoint like a provider',
      { endpoints: [{ ...endpoint, name: 'embedded' }] },
      /MODELS_FILE.*"embedded"/,
    ],
    ['names two endpoints alike', { endpoints: [endpoint, endpoint] }, /MODELS_FILE.*"here"/],
    [
      'takes a key from a variable that is not set',
      { endpoints: [{ ...endpoint, apiKeyVariable: 'NOT_SET_ANYWHERE' }] },
      /MODELS_FILE.*NOT_SET_ANYWHERE/,
    ],
  ]
  for (const [what, models, message] of broken) {
    test(`that ${what} stops the start and says where`, async (t) => {
      await assert.rejects(openBench(t, { models: models ?? {} }), message)
    })
  }
})
