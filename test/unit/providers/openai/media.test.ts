import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { imageBody, imageEditForm, videoForm } from '#providers/openai/request.ts'
import { readImages } from '#providers/openai/response.ts'
import { imageSize, videoSize } from '#providers/openai/sizes.ts'
import { ProviderError } from '#providers/provider.ts'

const image = { kind: 'IMAGE', model: 'gpt-image-2', prompt: 'A door' } as const
const video = { kind: 'VIDEO', model: 'wan', prompt: 'A door' } as const
const picture = { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/png' }
const upstream = { name: 'openai', redact: (text: string) => text }

describe('image sizes', () => {
  for (const [aspectRatio, sampleSize, size] of [
    ['1:1', undefined, '1024x1024'],
    ['3:2', undefined, '1536x1024'],
    ['2:3', undefined, '1024x1536'],
    ['16:9', undefined, '1536x864'],
    ['9:16', undefined, '864x1536'],
    ['4:3', '1K', '1536x1152'],
    ['16:9', '4K', '3840x2160'],
    ['1:1', '4K', '2880x2880'],
    [undefined, '2K', '2048x2048'],
    ['16:9', '1024x768', '1024x768'],
    [undefined, undefined, undefined],
    ['wide', undefined, undefined],
  ] as const) {
    test(`${aspectRatio ?? 'any'} at ${sampleSize ?? 'any size'} is ${size}`, () => {
      const given = {
        ...image,
        ...(aspectRatio && { aspectRatio }),
        ...(sampleSize && { sampleSize }),
      }
      assert.equal(imageSize(given), size)
    })
  }

  test('keep to what the model takes, for every ratio up to 3:1', () => {
    for (let width = 1; width <= 21; width++) {
      for (let height = 1; height <= 21; height++) {
        if (Math.max(width / height, height / width) > 3) continue
        for (const sampleSize of ['1K', '2K', '4K']) {
          const size = imageSize({ ...image, aspectRatio: `${width}:${height}`, sampleSize }) ?? ''
          const [w = 0, h = 0] = size.split('x').map(Number)
          assert.equal((w % 16) + (h % 16), 0, size)
          assert.ok(w * h >= 655_360 && w * h <= 8_294_400 && Math.max(w, h) <= 3840, size)
          assert.ok(Math.max(w / h, h / w) <= 3.05, size)
        }
      }
    }
  })
})

describe('video sizes', () => {
  for (const [aspectRatio, resolution, size] of [
    ['16:9', '720p', '1280x720'],
    ['9:16', '720p', '720x1280'],
    ['16:9', '1080p', '1920x1080'],
    ['1:1', '480p', '480x480'],
    ['4:3', '480p', '640x480'],
    ['16:9', '480p', '854x480'],
    [undefined, '1080p', '1920x1080'],
    ['9:16', undefined, '720x1280'],
    [undefined, '832x480', '832x480'],
    [undefined, undefined, undefined],
  ] as const) {
    test(`${aspectRatio ?? 'any'} at ${resolution ?? 'any'} is ${size}`, () => {
      const given = {
        ...video,
        ...(aspectRatio && { aspectRatio }),
        ...(resolution && { resolution }),
      }
      assert.equal(videoSize(given), size)
    })
  }
})

test('an image request asks for one picture, and only DALL·E for its bytes', () => {
  const request = { ...image, aspectRatio: '3:2', quality: 'low' }
  const body = { model: 'gpt-image-2', prompt: 'A door', n: 1, size: '1536x1024', quality: 'low' }
  assert.deepEqual(imageBody(request), body)
  const older = { model: 'dall-e-3' }
  assert.deepEqual(imageBody({ ...request, ...older }), {
    ...body,
    ...older,
    response_format: 'b64_json',
  })
})

test('a picture to edit goes along as a file, after the same fields', () => {
  assert.deepEqual(imageEditForm({ ...image, image: picture }), [
    { name: 'model', value: 'gpt-image-2' },
    { name: 'prompt', value: 'A door' },
    { name: 'n', value: '1' },
    { name: 'image', file: picture },
  ])
})

test('a video request is a form of text fields, with its first frame as a file', () => {
  const request = { ...video, seconds: 4, resolution: '720p', image: picture, generateAudio: true }
  assert.deepEqual(videoForm(request), [
    { name: 'model', value: 'wan' },
    { name: 'prompt', value: 'A door' },
    { name: 'seconds', value: '4' },
    { name: 'size', value: '1280x720' },
    { name: 'input_reference', file: picture },
  ])
})

test('a picture may be answered as an address, but only one that can be fetched', () => {
  const answer = (data: unknown) => ({
    status: 200,
    headers: {},
    body: Buffer.from(JSON.stringify({ data })),
  })
  assert.deepEqual(readImages(upstream, answer([{ url: 'https://files.test/1.png' }])), {
    done: [{ url: 'https://files.test/1.png' }],
  })
  assert.throws(
    () => readImages(upstream, answer([{ url: 'file:///etc/passwd' }])),
    (error) => error instanceof ProviderError && error.kind === 'protocol',
  )
})

test('a picture refused by moderation is refused for content', () => {
  const error = { message: 'rejected by the safety system', code: 'moderation_blocked' }
  const body = Buffer.from(JSON.stringify({ error }))
  assert.throws(
    () => readImages(upstream, { status: 400, headers: {}, body }),
    (thrown) =>
      thrown instanceof ProviderError && thrown.kind === 'content' && thrown.outcome === 'rejected',
  )
})
