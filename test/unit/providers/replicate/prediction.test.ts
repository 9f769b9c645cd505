import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ProviderError } from '#providers/provider.ts'
import { markOf, predictionInput, predictionPath } from '#providers/replicate/request.ts'
import { readCreated, readPrediction } from '#providers/replicate/response.ts'

const upstream = { name: 'replicate', redact: (text: string) => text }
const answer = (body: unknown, status = 200) => ({
  status,
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
})
const picture = { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/png' }
const taskId = '0190d5a0-0000-7000-8000-000000000001'

describe('a prediction request', () => {
  test('spells its input as the model does, and carries the mark of its task as a seed', () => {
    const request = {
      kind: 'VIDEO',
      model: 'bytedance/seedance-2.0-fast',
      prompt: 'A door',
      image: picture,
      aspectRatio: '16:9',
      seconds: 5,
      resolution: '720p',
      generateAudio: true,
    } as const
    assert.deepEqual(predictionInput(request, taskId), {
      prompt: 'A door',
      aspect_ratio: '16:9',
      image: 'data:image/png;base64,AQID',
      duration: 5,
      resolution: '720p',
      generate_audio: true,
      seed: markOf(request, taskId),
    })
    assert.equal(
      predictionPath(request.model),
      '/v1/models/bytedance/seedance-2.0-fast/predictions',
    )
  })

  test('gives several pictures where the model takes a list', () => {
    const request = { kind: 'IMAGE', model: 'black-forest-labs/flux-2-pro', prompt: 'x' } as const
    const input = predictionInput({ ...request, image: picture, sampleSize: '2 MP' }, taskId)
    assert.deepEqual(input.input_images, ['data:image/png;base64,AQID'])
    assert.equal(input.resolution, '2 MP')
  })

  test('adds no seed to a model that may not take one', () => {
    const request = { kind: 'IMAGE', model: 'acme/new', prompt: 'x' } as const
    assert.deepEqual(predictionInput(request, taskId), { prompt: 'x' })
  })

  test('has one mark per task, the same each time, within a signed 32-bit number', () => {
    const request = { kind: 'IMAGE', model: 'black-forest-labs/flux-schnell', prompt: 'x' } as const
    const marks = new Set<number>()
    for (let task = 0; task < 1000; task++) {
      const mark = markOf(request, `task-${task}`) ?? -1
      assert.equal(mark, markOf(request, `task-${task}`))
      assert.ok(mark >= 0 && mark <= 0x7fffffff)
      marks.add(mark)
    }
    assert.equal(marks.size, 1000)
  })
})

describe('a prediction', () => {
  for (const [name, output, count] of [
    ['one address', 'https://replicate.delivery/a.png', 1],
    ['a list', ['https://replicate.delivery/a.png', 'https://replicate.delivery/b.png'], 2],
    ['an object', { video: 'https://replicate.delivery/a.mp4', seed: 4 }, 1],
    ['its bytes', 'data:image/png;base64,AQID', 1],
  ] as const) {
    test(`may answer with ${name}`, () => {
      const state = readPrediction(upstream, answer({ id: 'p1', status: 'succeeded', output }))
      assert.ok(state.state === 'succeeded')
      assert.equal(state.outputs.length, count)
    })
  }

  test('that was aborted is canceled', () => {
    assert.equal(
      readPrediction(upstream, answer({ id: 'p1', status: 'aborted' })).state,
      'canceled',
    )
  })

  test('that succeeded with nothing has failed', () => {
    const body = { id: 'p1', status: 'succeeded', output: [] }
    assert.equal(readPrediction(upstream, answer(body)).state, 'failed')
  })

  test('of a state nobody documents is not the end of the job', () => {
    assert.throws(
      () => readPrediction(upstream, answer({ id: 'p1', status: 'dreaming' })),
      (error) => error instanceof ProviderError && error.kind === 'protocol',
    )
  })

  test('with an id that is no id is not taken', () => {
    assert.throws(
      () => readCreated(upstream, answer({ id: '../account', status: 'starting' }, 201)),
      ProviderError,
    )
  })
})

test('a throttled request says in words when to come back', () => {
  const detail = 'Request was throttled. Your rate limit resets in ~30s.'
  assert.throws(
    () => readCreated(upstream, answer({ detail }, 429)),
    (error) =>
      error instanceof ProviderError && error.kind === 'busy' && error.retryAfterMs === 30_000,
  )
})

test('an empty account is our fault, not the caller’s', () => {
  const detail = 'You have insufficient credit to run this model.'
  assert.throws(
    () => readCreated(upstream, answer({ title: 'Insufficient credit', detail }, 402)),
    (error) => error instanceof ProviderError && error.kind === 'auth',
  )
})
