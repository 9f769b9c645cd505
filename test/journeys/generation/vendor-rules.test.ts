// What each vendor documents of its models, as callers of our API meet it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { png } from '../../support/provider-doubles/media.ts'
import { type Body, P } from '../../support/server.ts'
import { graph } from '../runs/setting.ts'
import { assertFailure, ended, generate, openBench, says, submitted } from './setting.ts'

const picture = (content: string) => ({
  type: 'image_url',
  image_url: {
    url: `data:image/png;base64,${Buffer.concat([png, Buffer.from(content)]).toString('base64')}`,
  },
})

describe('a video of a model that takes certain lengths only', () => {
  const model = 'fal/veo-3.1-fast'

  test('is refused in another length, with those it takes', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'] })
    for (const videoSeconds of [5, 7]) {
      const request = { model, messages: [says('A closing door')], videoSeconds }
      const refused = assertFailure(
        await generate(bench, 'video', request),
        400,
        'UNSUPPORTED_PARAMETER',
      )
      assert.match(refused.message, /videoSeconds must be one of 4, 6, 8/)
      assert.equal(refused.details.issues[0].path, '/videoSeconds')
    }
    assert.equal(bench.doubles.fal.counts.submit, 0)
  })

  test('says so in the model list, and in a workflow before it runs', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'] })
    const { items } = (await bench.call(`${P}/models`)).body.data
    const { capabilities } = items.find(({ id }: Body) => id === model)
    assert.deepEqual(capabilities.videoSeconds, { min: 4, max: 8, default: 8, values: [4, 6, 8] })
    const nodes = [
      { id: 'v', type: 'video.generate', data: { model, prompt: 'x', videoSeconds: 5 } },
    ]
    const checked = await bench.call({
      method: 'POST',
      path: `${P}/workflows/validate`,
      json: { data: graph(nodes, []) },
    })
    const [error] = checked.body.data.errors
    assert.match(error.message, /videoSeconds must be one of 4, 6, 8/)
  })
})

describe('a picture made of several', () => {
  const messages = [
    says([{ type: 'text', text: 'Both on one table' }, picture('1'), picture('2')]),
    says([{ type: 'text', text: 'in oil' }, picture('3')]),
  ]

  test('is asked for with all of them, in their order', async (t) => {
    const bench = await openBench(t, { doubles: ['fal', 'openai', 'gemini', 'replicate'] })
    const { fal, openai, gemini, replicate } = bench.doubles
    fal.plan('succeeded')
    replicate.plan('succeeded')
    for (const model of [
      'fal/nano-banana-2',
      'openai/gpt-image-2.6-flare',
      'gemini/gemini-nano-banana-2.1',
      'replicate/flux-2-pro',
    ]) {
      const task = await ended(bench, await submitted(bench, 'image', { model, messages }))
      assert.equal(task.status, 'COMPLETED', JSON.stringify(task.error))
    }
    const endings = (texts: unknown[]) =>
      texts.map((text) => Buffer.from(String(text), 'base64').toString('latin1').at(-1))
    const afterComma = (url: unknown) => String(url).split(',')[1]
    const submission = ({ requests }: typeof fal): Body =>
      requests.find(({ route }) => route === 'submit')?.body
    assert.deepEqual(endings(submission(fal).image_urls.map(afterComma)), ['1', '2', '3'])
    const { input } = submission(replicate)
    assert.deepEqual(endings(input.input_images.map(afterComma)), ['1', '2', '3'])
    const { parts } = submission(gemini).contents[0]
    assert.deepEqual(endings(parts.slice(1).map(({ inlineData }: Body) => inlineData.data)), [
      '1',
      '2',
      '3',
    ])
    assert.equal(openai.requests[0]?.path, '/v1/images/edits')
    // A form with several files of one name; test/oracle compares it with the vendor's own.
    assert.ok('image[]' in submission(openai))
  })
})

describe('a quick model of Replicate', () => {
  test('answers the submission itself: nothing is asked a second time', async (t) => {
    const bench = await openBench(t, { doubles: ['replicate'] })
    const { replicate } = bench.doubles
    replicate.plan('succeeded')
    const task = await ended(
      bench,
      await submitted(bench, 'image', { model: 'replicate/flux-schnell' }),
    )
    assert.equal(task.status, 'COMPLETED')
    assert.deepEqual([replicate.counts.submit, replicate.counts.poll], [1, 0])
  })

  test('that is not done in time is asked again', async (t) => {
    const bench = await openBench(t, { doubles: ['replicate'] })
    const { replicate } = bench.doubles
    replicate.plan('running', 'succeeded')
    const task = await ended(
      bench,
      await submitted(bench, 'image', { model: 'replicate/flux-schnell' }),
    )
    assert.deepEqual([task.status, replicate.counts.accepted], ['COMPLETED', 1])
    assert.ok(replicate.counts.poll > 0)
  })

  test('whose answer is cut off while it is waited for is found again, and paid for once', async (t) => {
    const bench = await openBench(t, { doubles: ['replicate'] })
    const { replicate } = bench.doubles
    replicate.plan('succeeded')
    replicate.script('submit', { do: 'cut', when: 'after-accepting' })
    const task = await ended(
      bench,
      await submitted(bench, 'image', { model: 'replicate/flux-schnell' }),
    )
    assert.equal(task.status, 'COMPLETED')
    assert.deepEqual([replicate.counts.accepted, replicate.counts.list], [1, 1])
  })
})
