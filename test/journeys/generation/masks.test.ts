// A mask says which part of a picture may change: it reaches models that take one, and is refused
// by name everywhere else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gif, png } from '../../support/samples.ts'
import { P } from '../../support/server.ts'
import { addWorkflow, ended as ranTo, started } from '../runs/setting.ts'
import { assertFailure, ended, generate, openBench, submitted } from './setting.ts'

const urlOf = (bytes: Uint8Array) =>
  `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`
const picture = png({ width: 8, height: 4 })
const mask = png({ width: 8, height: 4, shade: 200 })
const asking = (...pictures: string[]) => [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'A red door' },
      ...pictures.map((url) => ({ type: 'image_url', image_url: { url } })),
    ],
  },
]

test('a mask reaches the vendor beside its picture', async (t) => {
  const bench = await openBench(t, { doubles: ['openai'] })
  const request = { model: 'openai/gpt-image-2', messages: asking(urlOf(picture)) }
  const taskId = await submitted(bench, 'image', { ...request, mask: urlOf(mask) })
  assert.equal((await ended(bench, taskId)).status, 'COMPLETED')
  const { path, body } = bench.doubles.openai.requests.at(-1) ?? {}
  assert.equal(path, '/v1/images/edits')
  const sent = body as Record<'image' | 'mask', { base64: string; mimeType: string }>
  assert.deepEqual(
    [sent.image.base64, sent.mask.base64, sent.mask.mimeType],
    [picture.toString('base64'), mask.toString('base64'), 'image/png'],
  )
})

test('a mask is refused by name where it means nothing, before anything is paid', async (t) => {
  const bench = await openBench(t, { doubles: ['openai', 'fal'] })
  const model = 'openai/gpt-image-2'
  const messages = asking(urlOf(picture))
  const refusals: ['image' | 'video', object, string][] = [
    ['image', { model, messages: asking() }, 'INVALID_REQUEST'],
    ['image', { model: 'fal/nano-banana-2', messages }, 'UNSUPPORTED_PARAMETER'],
    ['video', { model: 'fal/kling-3-4k', messages }, 'UNSUPPORTED_PARAMETER'],
    ['image', { model, messages, mask: 'data:image/png;base64,AAAA' }, 'INVALID_REQUEST'],
    ['image', { model, messages, mask: 'no address' }, 'INVALID_REQUEST'],
  ]
  for (const [kind, request, code] of refusals) {
    const answer = await generate(bench, kind, { mask: urlOf(mask), ...request })
    const { details } = assertFailure(answer, 400, code)
    assert.equal(details.issues[0].path, '/mask')
  }
  assert.equal(bench.doubles.openai.counts.submit + bench.doubles.fal.counts.submit, 0)
})

test('a mask of another size or type never reaches the vendor', async (t) => {
  const bench = await openBench(t, { doubles: ['openai'] })
  const wrong: [Uint8Array, RegExp][] = [
    [png({ width: 4, height: 8 }), /8 by 4 pixels, not 4 by 8/],
    [gif({ width: 8, height: 4 }), /PNG/],
  ]
  for (const [given, why] of wrong) {
    const request = { model: 'openai/gpt-image-2', messages: asking(urlOf(picture)) }
    const taskId = await submitted(bench, 'image', { ...request, mask: urlOf(given) })
    const task = await ended(bench, taskId)
    assert.equal(task.status, 'FAILED')
    assert.match(task.error.message, why)
  }
  assert.equal(bench.doubles.openai.counts.submit, 0)
})

test('a model that may stand in is left out if it takes no mask', async (t) => {
  const models = {
    models: [
      { id: 'test/whole', provider: 'local', kind: 'IMAGE', capabilities: seesImages },
      { id: 'openai/gpt-image-2', fallbacks: ['test/whole'] },
    ],
  }
  const bench = await openBench(t, { doubles: ['openai'], models })
  bench.doubles.openai.script('submit', { do: 'refuse', status: 429 })
  const request = { model: 'openai/gpt-image-2', messages: asking(urlOf(picture)) }
  const taskId = await submitted(bench, 'image', { ...request, mask: urlOf(mask) })
  await ended(bench, taskId)
  const asked = bench.doubles.openai.requests.map(({ body }) => (body as { model: string }).model)
  assert.ok(
    asked.every((model) => model === 'gpt-image-2'),
    asked.join(),
  )
})

const seesImages = { inputModalities: ['text', 'image'] }

test('a workflow sends the mask of its node along, and a mask alone fails before it costs', async (t) => {
  const bench = await openBench(t, { doubles: ['openai'] })
  const data = {
    nodes: [
      { id: 'photo', type: 'input.image', data: { required: false } },
      { id: 'part', type: 'input.image', data: {} },
      { id: 'edit', type: 'image.generate', data: { model: 'openai/gpt-image-2' } },
      { id: 'words', type: 'input.text', data: {} },
    ],
    connections: [
      { source: 'words', target: 'edit', targetHandle: 'prompt' },
      { source: 'photo', target: 'edit', targetHandle: 'image' },
      { source: 'part', target: 'edit', targetHandle: 'mask' },
    ],
  }
  const id = await addWorkflow(bench, data)
  const inputs = { words: 'A red door', part: urlOf(mask) }
  const run = await ranTo(
    bench,
    await started(bench, id, { inputs: { ...inputs, photo: urlOf(picture) } }),
  )
  assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
  const sent = bench.doubles.openai.requests.at(-1)?.body as { mask: { base64: string } }
  assert.equal(sent.mask.base64, mask.toString('base64'))
  const alone = await ranTo(bench, await started(bench, id, { inputs }))
  assert.equal(alone.status, 'FAILED')
  assert.match(alone.nodeErrors[0].message, /^A mask needs a picture/)
  assert.equal(bench.doubles.openai.counts.submit, 1)
  const path = `${P}/workflows/${id}/estimate`
  const { body } = await bench.call({ method: 'POST', path, json: { inputs } })
  assert.match(body.data.assumptions.join(), /A mask needs a picture.*would fail here/)
})
