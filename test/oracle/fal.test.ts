// Our submissions to fal's queue, judged by the official client and its types of each model.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { ApiError, createFalClient, type QueueStatus, ValidationError } from '@fal-ai/client'
import type { EndpointTypeMap } from '@fal-ai/client/endpoints'
import { builtinModels } from '#providers/builtin-models.ts'
import { createFalProvider } from '#providers/fal/adapter.ts'
import type { JobRef, MediaRequest } from '#providers/provider.ts'
import { patient, startRecorder } from './recorder.ts'

const credentials = 'oracle:secret'
const flux = 'fal-ai/flux/schnell'
const requestId = '764cabcf-b745-4b3e-ae38-1200304cf45b'
const options = { ...patient, taskId: 't' }

async function stand(t: TestContext) {
  const recorder = await startRecorder(t)
  // The client knows only fal's own address.
  const toRecorder: typeof fetch = (url, init) => {
    const { pathname, search } = new URL(String(url))
    return fetch(`${recorder.url}${pathname}${search}`, init)
  }
  const sdk = createFalClient({ credentials, fetch: toRecorder, retry: { maxRetries: 0 } })
  const provider = createFalProvider({ name: 'fal', apiKey: credentials, baseUrl: recorder.url })
  t.after(() => provider.close?.())
  return { recorder, sdk, provider }
}

type Input<Model extends keyof EndpointTypeMap> = EndpointTypeMap[Model]['input']
type Intent = { ours: MediaRequest; model: string; input: Record<string, unknown> }
/** A literal of the types the vendor publishes for this very model. */
const intent = <Model extends keyof EndpointTypeMap & string>(
  model: Model,
  input: Input<Model>,
  ours: MediaRequest,
): Intent => ({ model, input, ours })

const prompt = 'A blue door'
const pixel = { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/png' }
const dataUrl = 'data:image/png;base64,AQID'

const intents: Record<string, Intent> = {
  'a picture of a named size': intent(
    'fal-ai/flux/schnell',
    { prompt, image_size: 'landscape_16_9', seed: 7, output_format: 'png' },
    {
      kind: 'IMAGE',
      model: 'fal-ai/flux/schnell',
      prompt,
      aspectRatio: '16:9',
      options: { seed: 7, output_format: 'png' },
    },
  ),
  'a picture of an aspect ratio': intent(
    'fal-ai/nano-banana-2',
    { prompt, aspect_ratio: '4:5', resolution: '1K' },
    { kind: 'IMAGE', model: 'fal-ai/nano-banana-2', prompt, aspectRatio: '4:5', sampleSize: '1K' },
  ),
  'a changed picture': intent(
    'fal-ai/nano-banana-2/edit',
    { prompt, image_urls: [dataUrl], seed: 7, output_format: 'webp' },
    {
      kind: 'IMAGE',
      model: 'fal-ai/nano-banana-2',
      prompt,
      image: pixel,
      options: { seed: 7, output_format: 'webp' },
    },
  ),
  'a video': intent(
    'fal-ai/veo3.1/fast',
    { prompt, aspect_ratio: '16:9', duration: '6s', resolution: '1080p', generate_audio: false },
    {
      kind: 'VIDEO',
      model: 'fal-ai/veo3.1/fast',
      prompt,
      aspectRatio: '16:9',
      seconds: 6,
      resolution: '1080p',
      generateAudio: false,
    },
  ),
  'a video of a first frame': intent(
    'fal-ai/veo3.1/fast/image-to-video',
    { prompt, image_url: dataUrl, duration: '8s', seed: 7, negative_prompt: 'blur' },
    {
      kind: 'VIDEO',
      model: 'fal-ai/veo3.1/fast',
      prompt,
      image: pixel,
      seconds: 8,
      options: { seed: 7, negative_prompt: 'blur' },
    },
  ),
}

describe('a submission to fal', () => {
  for (const [what, { ours, model, input }] of Object.entries(intents)) {
    test(`for ${what} is what its client sends`, async (t) => {
      const { recorder, sdk, provider } = await stand(t)
      const expected = await recorder.sentBy(() => sdk.queue.submit(model, { input }))
      const sent = await recorder.sentBy(async () => provider.submit?.(ours, options))
      assert.deepEqual(sent.body, expected.body)
      assert.equal(`${sent.method} ${sent.path}`, `${expected.method} ${expected.path}`)
      assert.equal(sent.headers.authorization, expected.headers.authorization)
    })
  }
})

/** A job as the queue answers for it, at the addresses its client would go to. */
function jobAt(url: string, model = flux): { queued: QueueStatus; ref: JobRef } {
  const [owner, app] = model.split('/')
  const base = `${url}/${owner}/${app}/requests/${requestId}`
  const urls = { status: `${base}/status`, response: base, cancel: `${base}/cancel` }
  const queued: QueueStatus = {
    status: 'IN_QUEUE',
    request_id: requestId,
    response_url: urls.response,
    status_url: urls.status,
    cancel_url: urls.cancel,
    queue_position: 0,
  }
  return { queued, ref: { v: 1, provider: 'fal', id: requestId, urls } }
}

describe('a job of fal', () => {
  test('is looked at, fetched and cancelled where its client goes', async (t) => {
    const { recorder, sdk, provider } = await stand(t)
    const { queued, ref } = jobAt(recorder.url)
    recorder.answer({ json: queued })
    const submitted = await provider.submit?.({ kind: 'IMAGE', model: flux, prompt }, options)
    assert.deepEqual(submitted, { ref })
    const pairs = [
      [() => provider.poll?.(ref, patient), () => sdk.queue.status(flux, { requestId })],
      [() => provider.cancel?.(ref, patient), () => sdk.queue.cancel(flux, { requestId })],
    ] as const
    for (const [ours, theirs] of pairs) {
      const expected = await recorder.sentBy(theirs)
      const sent = await recorder.sentBy(async () => ours())
      // The client asks without logs, which is so anyway.
      const path = expected.path.replace(/\?logs=0$/, '')
      assert.equal(`${sent.method} ${sent.path}`, `${expected.method} ${path}`)
      assert.equal(sent.headers.authorization, expected.headers.authorization)
    }
    const result = await recorder.sentBy(() => sdk.queue.result(flux, { requestId }))
    recorder.answer({ json: { ...queued, status: 'COMPLETED', logs: [] } satisfies QueueStatus })
    recorder.requests.length = 0
    await provider.poll?.(ref, patient)
    assert.equal(recorder.requests[1]?.path, result.path)
  })

  test('is told in every state its client names', async (t) => {
    const { recorder, provider } = await stand(t)
    const { queued, ref } = jobAt(recorder.url)
    recorder.answer({ status: 202, json: queued })
    assert.equal((await provider.poll?.(ref, patient))?.state, 'queued')
    recorder.answer({ status: 202, json: { ...queued, status: 'IN_PROGRESS', logs: [] } })
    assert.equal((await provider.poll?.(ref, patient))?.state, 'running')
    const output: EndpointTypeMap[typeof flux]['output'] = {
      images: [
        { url: 'https://v3.fal.media/a.png', width: 1, height: 1, content_type: 'image/png' },
      ],
      prompt,
      seed: 1,
      timings: {},
      has_nsfw_concepts: [false],
    }
    const done = { ...queued, status: 'COMPLETED' as const, logs: [], ...output }
    const headers = { 'x-fal-billable-units': '1' }
    recorder.answer({ json: done, headers })
    const end = await provider.poll?.(ref, patient)
    assert.ok(end?.state === 'succeeded')
    assert.deepEqual(end.billed, { units: 1 })
    recorder.answer({ json: { ...done, has_nsfw_concepts: [true] } })
    const withheld = await provider.poll?.(ref, patient)
    assert.ok(withheld?.state === 'failed' && withheld.error.kind === 'content')
  })

  test('that is refused is told as its client tells it, and certain below 500', async (t) => {
    const { recorder, sdk, provider } = await stand(t)
    const detail = (type: string) => [{ msg: 'no', loc: ['body', 'prompt'], type }]
    const cases: [number, unknown, string, string][] = [
      [401, { detail: 'Cannot access application' }, 'auth', 'rejected'],
      [403, { detail: 'User is locked. Reason: exhausted balance.' }, 'auth', 'rejected'],
      [404, { detail: 'Path not found' }, 'not_found', 'rejected'],
      [422, { detail: detail('missing') }, 'invalid', 'rejected'],
      [422, { detail: detail('content_policy_violation') }, 'content', 'rejected'],
      [429, { detail: 'Too many requests' }, 'busy', 'rejected'],
      [500, { detail: 'Internal', error_type: 'internal_error' }, 'server', 'unknown'],
    ]
    for (const [status, json, kind, outcome] of cases) {
      recorder.answer({ status, json })
      const theirs = sdk.queue.submit(flux, { input: { prompt } })
      await assert.rejects(theirs, (error) => {
        assert.ok(error instanceof (status === 422 ? ValidationError : ApiError))
        return error.status === status
      })
      const ours = async () => provider.submit?.({ kind: 'IMAGE', model: flux, prompt }, options)
      await assert.rejects(ours, { kind, outcome, status }, `${status} ${kind}`)
    }
  })
})

/** Every length of a model, and no other: the compiler holds both lists against its types. */
type Durations<Model extends keyof EndpointTypeMap> =
  Input<Model> extends { duration?: infer Duration }
    ? Record<Extract<NonNullable<Duration>, string>, true>
    : never

const durations: Record<string, string[]> = {
  'fal-ai/veo3.1/fast': Object.keys({
    '4s': true,
    '6s': true,
    '8s': true,
  } satisfies Durations<'fal-ai/veo3.1/fast'>),
}

test('the lengths we offer of a model of fal are those its types name', () => {
  for (const { providerModel, capabilities } of builtinModels) {
    const documented = durations[providerModel]
    if (!documented) continue
    const offered = capabilities.videoSeconds?.values?.map((seconds) => `${seconds}s`)
    assert.deepEqual(offered, documented, providerModel)
  }
})
