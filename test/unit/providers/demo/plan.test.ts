import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoModels } from '#providers/demo/models.ts'
import { planJob } from '#providers/demo/plan.ts'
import { type ImageRequest, ProviderError, type VideoRequest } from '#providers/provider.ts'

const image = (extra: Partial<ImageRequest> = {}) =>
  planJob({ kind: 'IMAGE', model: 'demo-image', prompt: 'x', ...extra })
const video = (extra: Partial<VideoRequest> = {}) =>
  planJob({ kind: 'VIDEO', model: 'demo-video', prompt: 'x', ...extra })

test('the longer side of an image is what its size says, whatever its form', () => {
  const sizes = (extra: Partial<ImageRequest>) => {
    const { width, height } = image(extra)
    return [width, height]
  }
  assert.deepEqual(sizes({}), [1024, 1024])
  assert.deepEqual(sizes({ aspectRatio: '16:9' }), [1024, 576])
  assert.deepEqual(sizes({ aspectRatio: '9:16', sampleSize: '2K' }), [1152, 2048])
  assert.deepEqual(sizes({ aspectRatio: '3:2', sampleSize: '512' }), [512, 341])
})

test('a video has as many lines as its resolution says, and even sides', () => {
  const resolutions = ['360p', '480p', '720p']
  for (const aspectRatio of demoModels.find(({ kind }) => kind === 'VIDEO')?.capabilities
    .videoAspectRatios ?? []) {
    for (const resolution of resolutions) {
      const { width, height } = video({ aspectRatio, resolution })
      assert.equal(Math.min(width, height), Number.parseInt(resolution, 10))
      assert.equal((width % 2) + (height % 2), 0)
    }
  }
  assert.deepEqual([video().width, video().height], [854, 480])
})

test('what the models do not declare is refused as wrong', () => {
  const refused = (plan: () => unknown) =>
    assert.throws(
      plan,
      (error) =>
        error instanceof ProviderError && error.kind === 'invalid' && error.outcome === 'rejected',
    )
  refused(() => image({ aspectRatio: '21:9' }))
  refused(() => image({ quality: 'ultra' }))
  refused(() => image({ sampleSize: '4K' }))
  refused(() => video({ resolution: '1080p' }))
  for (const seconds of [0, 11, 1.5, Number.NaN]) refused(() => video({ seconds }))
  refused(() => image({ image: { bytes: new Uint8Array(100), mimeType: 'image/png' } }))
})

test('a picture too large to decode is refused before it is decoded', () => {
  const bomb = Buffer.alloc(64)
  bomb.set(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
  bomb.write('IHDR', 12, 'latin1')
  bomb.writeUInt32BE(100_000, 16)
  bomb.writeUInt32BE(100_000, 20)
  assert.throws(() => image({ image: { bytes: bomb, mimeType: 'image/png' } }), /40 megapixels/)
})

test('every model is a free demo', () => {
  assert.deepEqual(
    demoModels.map(({ id, kind }) => [id, kind]),
    [
      ['demo-text', 'TEXT'],
      ['demo-code', 'CODE'],
      ['demo-image', 'IMAGE'],
      ['demo-video', 'VIDEO'],
      ['demo-embedding', 'EMBEDDING'],
    ],
  )
  for (const { demo, provider, pricing } of demoModels) {
    assert.deepEqual([demo, provider], [true, 'embedded'])
    const { currency, ...prices } = pricing ?? {}
    assert.equal(currency, 'USD')
    assert.ok(
      Object.values(prices).length > 0 && Object.values(prices).every((price) => price === 0),
    )
  }
})
