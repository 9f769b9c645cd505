// Our submissions to fal's queue, judged by the official client and its types of each model.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { createFalClient } from '@fal-ai/client'
import type { EndpointTypeMap } from '@fal-ai/client/endpoints'
import { createFalProvider } from '#providers/fal/adapter.ts'
import type { MediaRequest } from '#providers/provider.ts'
import { patient, startRecorder } from './recorder.ts'

const credentials = 'oracle:secret'

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
    { prompt, image_size: 'landscape_16_9' },
    { kind: 'IMAGE', model: 'fal-ai/flux/schnell', prompt, aspectRatio: '16:9' },
  ),
  'a picture of an aspect ratio': intent(
    'fal-ai/nano-banana-2',
    { prompt, aspect_ratio: '4:5', resolution: '1K' },
    { kind: 'IMAGE', model: 'fal-ai/nano-banana-2', prompt, aspectRatio: '4:5', sampleSize: '1K' },
  ),
  'a changed picture': intent(
    'fal-ai/nano-banana-2/edit',
    { prompt, image_urls: [dataUrl] },
    { kind: 'IMAGE', model: 'fal-ai/nano-banana-2', prompt, image: pixel },
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
    { prompt, image_url: dataUrl, duration: '8s' },
    { kind: 'VIDEO', model: 'fal-ai/veo3.1/fast', prompt, image: pixel, seconds: 8 },
  ),
}

describe('a submission to fal', () => {
  for (const [what, { ours, model, input }] of Object.entries(intents)) {
    test(`for ${what} is what its client sends`, async (t) => {
      const { recorder, sdk, provider } = await stand(t)
      const expected = await recorder.sentBy(() => sdk.queue.submit(model, { input }))
      const options = { ...patient, taskId: 't' }
      const sent = await recorder.sentBy(async () => provider.submit?.(ours, options))
      assert.deepEqual(sent.body, expected.body)
      assert.equal(`${sent.method} ${sent.path}`, `${expected.method} ${expected.path}`)
      assert.equal(sent.headers.authorization, expected.headers.authorization)
    })
  }
})
