import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { queueCall } from '#providers/fal/request.ts'
import { keyAllowed, readQueued, readResult } from '#providers/fal/response.ts'
import { ProviderError } from '#providers/provider.ts'

const upstream = { name: 'fal', redact: (text: string) => text }
const answer = (body: unknown, status = 200, headers = {}) => ({
  status,
  headers,
  body: Buffer.from(JSON.stringify(body)),
})
const picture = { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/png' }
const dataUrl = 'data:image/png;base64,AQID'

describe('a queue request', () => {
  test('spells the shape and length of a video as its model does', () => {
    const call = queueCall({
      kind: 'VIDEO',
      model: 'fal-ai/veo3.1/fast',
      prompt: 'A gateway',
      aspectRatio: '9:16',
      seconds: 8,
      resolution: '1080p',
      generateAudio: false,
    })
    assert.deepEqual(call, {
      path: '/fal-ai/veo3.1/fast',
      input: {
        prompt: 'A gateway',
        aspect_ratio: '9:16',
        duration: '8s',
        resolution: '1080p',
        generate_audio: false,
      },
    })
  })

  test('with a picture goes to the sibling that takes one', () => {
    const request = { kind: 'VIDEO', prompt: 'A gateway', image: picture, seconds: 5 } as const
    assert.deepEqual(queueCall({ ...request, model: 'fal-ai/kling-video/v3/4k/text-to-video' }), {
      path: '/fal-ai/kling-video/v3/4k/image-to-video',
      input: { prompt: 'A gateway', duration: '5', start_image_url: dataUrl },
    })
  })

  test('names image sizes where the model wants names', () => {
    const request = { kind: 'IMAGE', prompt: 'A gateway', aspectRatio: '16:9' } as const
    assert.deepEqual(queueCall({ ...request, model: 'fal-ai/flux/schnell' }).input, {
      prompt: 'A gateway',
      image_size: 'landscape_16_9',
    })
    assert.deepEqual(
      queueCall({ ...request, model: 'fal-ai/nano-banana-2', sampleSize: '2K', image: picture }),
      {
        path: '/fal-ai/nano-banana-2/edit',
        input: {
          prompt: 'A gateway',
          aspect_ratio: '16:9',
          resolution: '2K',
          image_urls: [dataUrl],
        },
      },
    )
  })

  test('uses the commonest names for a model it does not know', () => {
    const request = { kind: 'VIDEO', model: 'acme/new', prompt: 'x', image: picture } as const
    assert.deepEqual(queueCall({ ...request, seconds: 4 }), {
      path: '/acme/new',
      input: { prompt: 'x', duration: '4', image_url: dataUrl },
    })
  })

  test('cannot be led out of its path by a model name', () => {
    const request = { kind: 'IMAGE', model: 'a/b?x=1#../c d', prompt: 'x' } as const
    assert.equal(queueCall(request).path, '/a/b%3Fx%3D1%23../c%20d')
  })
})

describe('an address in an answer may have the key', () => {
  const base = 'http://127.0.0.1:9999'
  for (const [allowed, url] of [
    [true, 'https://queue.fal.run/x/requests/1/status'],
    [true, 'https://fal.run/x'],
    [true, 'http://127.0.0.1:9999/x/requests/1'],
    [false, 'http://queue.fal.run/x'],
    [false, 'https://queue.fal.run:8443/x'],
    [false, 'https://fal.run.evil.test/x'],
    [false, 'https://evilfal.run/x'],
    [false, 'https://evil.test/queue.fal.run'],
    [false, 'https://queue.fal.run@evil.test/x'],
    [false, 'https://user:pass@queue.fal.run/x'],
    [false, 'http://127.0.0.1:9998/x'],
    [false, 'http://169.254.169.254/latest/meta-data'],
    [false, 'javascript:alert(1)'],
    [false, 'not a url'],
    [false, undefined],
  ] as const) {
    test(`${allowed ? 'at' : 'but not at'} ${url}`, () => {
      assert.equal(keyAllowed(url, base) !== undefined, allowed)
    })
  }

  test('and a job elsewhere is refused, in doubt about what was begun', () => {
    const at = (host: string) => `https://${host}/x/requests/1`
    const body = {
      request_id: '1',
      response_url: at('queue.fal.run'),
      status_url: at('evil.test'),
      cancel_url: at('queue.fal.run'),
    }
    assert.throws(
      () => readQueued(upstream, answer(body), 'https://queue.fal.run'),
      (error) =>
        error instanceof ProviderError && error.kind === 'protocol' && error.outcome === 'unknown',
    )
  })
})

describe('a result', () => {
  test('tells what was billed and where the files lie, without the key', () => {
    const images = [{ url: 'https://v3.fal.media/a.png', content_type: 'image/png' }]
    const headers = { 'x-fal-billable-units': '1.5' }
    assert.deepEqual(readResult(upstream, answer({ images }, 200, headers)), {
      state: 'succeeded',
      outputs: [{ url: 'https://v3.fal.media/a.png', mimeType: 'image/png' }],
      billed: { units: 1.5 },
    })
  })

  test('that a safety checker blackened is refused for content', () => {
    const images = [{ url: 'https://v3.fal.media/black.png' }]
    const result = readResult(upstream, answer({ images, has_nsfw_concepts: [true] }))
    assert.ok(result.state === 'failed')
    assert.equal(result.error.kind, 'content')
  })

  test('may carry its picture in itself', () => {
    const result = readResult(upstream, answer({ image: { url: dataUrl } }))
    assert.ok(result.state === 'succeeded')
    assert.deepEqual(result.outputs, [{ bytes: Buffer.from([1, 2, 3]), mimeType: 'image/png' }])
  })

  for (const [name, status, body, kind] of [
    [
      'of its input',
      422,
      { detail: [{ loc: [], msg: 'too big', type: 'image_too_large' }] },
      'invalid',
    ],
    ['of its time', 504, { detail: 'Request timed out', error_type: 'request_timeout' }, 'timeout'],
    ['of a runner', 503, { detail: 'gone', error_type: 'runner_disconnected' }, 'server'],
  ] as const) {
    test(`that is an error ${name} ends the job as ${kind}`, () => {
      const result = readResult(upstream, answer(body, status))
      assert.ok(result.state === 'failed')
      assert.equal(result.error.kind, kind)
    })
  }

  test('that a gateway could not fetch is asked for again', () => {
    const page = { status: 502, headers: {}, body: Buffer.from('<html>Bad gateway</html>') }
    assert.throws(() => readResult(upstream, page), ProviderError)
  })

  // The job has ended and may be billed: an answer about the request must not discard its result.
  for (const [status, detail, kind] of [
    [401, 'Authentication is required to access this application', 'auth'],
    [404, 'Request not found', 'not_found'],
    [429, 'Too many requests', 'busy'],
    [503, 'Service unavailable', 'busy'],
  ] as const) {
    test(`that is refused with ${status} is asked for again`, () => {
      const refused = (error: unknown) => error instanceof ProviderError && error.kind === kind
      assert.throws(() => readResult(upstream, answer({ detail }, status)), refused)
    })
  }
})
