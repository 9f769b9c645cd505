// Parameters that a vendor's own API has and ours does not name: carried, refused or told.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { type Body, P } from '../../support/server.ts'
import { assertFailure, ended, generate, openBench, says, submitted } from './setting.ts'

const messages = [says('A blue door')]

for (const { name: database } of databases) {
  test(`parameters that a model lacks are named in the answer and the task on ${database}`, async (t) => {
    const bench = await openBench(t, { doubles: ['openai'], database })
    const request = {
      model: 'openai/gpt-image-2',
      messages,
      ...{ seed: 7, complexity: 'high', n: 1, output_format: 'webp', style: null, videoSeconds: 4 },
    }
    const accepted = await generate(bench, 'image', request)
    assert.equal(accepted.status, 200, accepted.text)
    const ignored = ['videoSeconds', 'seed', 'complexity']
    assert.deepEqual(accepted.body.data.ignored.toSorted(), ignored.toSorted())
    const task = await ended(bench, accepted.body.taskId)
    assert.deepEqual(task.ignored, accepted.body.data.ignored)
    const { items } = (await bench.call(`${P}/tasks`)).body.data
    assert.deepEqual(items[0].ignored, task.ignored)
    const sent = bench.doubles.openai.requests.at(-1)?.body as Body
    assert.deepEqual([sent.output_format, sent.n, 'seed' in sent], ['webp', 1, false])
    const plain = await ended(bench, await submitted(bench, 'image', { ...request, ...without }))
    assert.equal('ignored' in plain, false)
  })
}

const without = { seed: null, complexity: null, videoSeconds: undefined }

describe('a parameter that only some models have', () => {
  const offers: [
    model: string,
    kind: 'image' | 'video',
    given: Body,
    where: (sent: Body) => Body,
  ][] = [
    [
      'openai/gpt-image-2.6-flare',
      'image',
      { background: 'transparent', output_compression: 80, moderation: 'low' },
      (sent) => sent,
    ],
    ['fal/flux-schnell', 'image', { seed: 7, output_format: 'jpeg' }, (sent) => sent],
    ['fal/veo-3.1-fast', 'video', { seed: 7, negative_prompt: 'blur' }, (sent) => sent],
    ['fal/kling-3-4k', 'video', { negative_prompt: 'blur' }, (sent) => sent],
    ['replicate/flux-2-pro', 'image', { seed: 7 }, (sent) => sent.input],
    ['gemini/gemini-3-pro-image', 'image', { seed: 7 }, (sent) => sent.generationConfig],
  ]

  for (const [model, kind, given, where] of offers) {
    test(`reaches ${model}`, async (t) => {
      const vendor = model.split('/')[0] as 'openai' | 'fal' | 'replicate' | 'gemini'
      const bench = await openBench(t, { doubles: [vendor] })
      const double = bench.doubles[vendor]
      double.plan('succeeded')
      const accepted = await generate(bench, kind, { model, messages, ...given })
      assert.equal(accepted.status, 200, accepted.text)
      assert.equal('ignored' in accepted.body.data, false)
      await ended(bench, accepted.body.taskId)
      const submission = double.requests.find(({ body }) => body !== undefined && body !== null)
      const sent = where(submission?.body as Body)
      for (const [name, value] of Object.entries(given)) assert.equal(sent[name], value, name)
    })
  }

  test('is refused if its value is of the wrong type', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'] })
    const request = { model: 'fal/flux-schnell', messages, seed: 'seven' }
    const refused = assertFailure(await generate(bench, 'image', request), 400, 'INVALID_REQUEST')
    assert.equal(refused.details.issues[0].path, '/seed')
  })

  test('is told as ignored if a model that may stand in lacks it', async (t) => {
    const models = { models: [{ id: 'fal/flux-schnell', fallbacks: ['demo-image'] }] }
    const bench = await openBench(t, { doubles: ['fal'], models })
    const request = { model: 'fal/flux-schnell', messages, seed: 7 }
    const { body } = await generate(bench, 'image', request)
    assert.deepEqual(body.data.ignored, ['seed'])
  })
})

test('what changes the price or the picture is refused by name, before anything is paid', async (t) => {
  const bench = await openBench(t, { doubles: ['openai'] })
  for (const [name, value] of [
    ['n', 2],
    ['n', '1'],
    ['num_images', 4],
  ] as const) {
    const request = { model: 'openai/gpt-image-2', messages, [name]: value }
    const refused = assertFailure(
      await generate(bench, 'image', request),
      400,
      'UNSUPPORTED_PARAMETER',
    )
    assert.equal(refused.details.issues[0].path, `/${name}`)
    assert.match(refused.message, new RegExp(`^${name} `))
  }
  assert.equal(bench.doubles.openai.counts.submit, 0)
})

test('however many unknown parameters there are, few of them are told, and shortened', async (t) => {
  const bench = await openBench(t)
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`${index}`.padStart(300, 'x'), true]),
  )
  const { body } = await generate(bench, 'image', { model: 'demo-image', messages, ...many })
  assert.equal(body.data.ignored.length, 50)
  assert.ok(body.data.ignored.every((name: string) => name.length <= 100))
})
