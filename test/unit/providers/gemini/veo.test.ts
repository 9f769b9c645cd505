import assert from 'node:assert/strict'
import { test } from 'node:test'
import { veoBody } from '#providers/gemini/request.ts'
import { readOperationState } from '#providers/gemini/response.ts'
import type { Output } from '#providers/provider.ts'

const upstream = { name: 'gemini', redact: (text: string) => text }

const state = (operation: object) =>
  readOperationState(
    upstream,
    {
      status: 200,
      headers: {},
      body: Buffer.from(
        JSON.stringify({ name: 'models/v/operations/1', done: true, ...operation }),
      ),
    },
    (uri): Output => ({ url: uri }),
  )

test('a video request carries its first frame as bytes, and no switch for sound', () => {
  const body = veoBody({
    kind: 'VIDEO',
    model: 'veo-3.1-fast-generate-preview',
    prompt: 'A door closes',
    image: { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/png' },
    aspectRatio: '9:16',
    seconds: 8,
    resolution: '1080p',
    generateAudio: true,
  })
  assert.deepEqual(body, {
    instances: [
      { prompt: 'A door closes', image: { bytesBase64Encoded: 'AQID', mimeType: 'image/png' } },
    ],
    parameters: { aspectRatio: '9:16', durationSeconds: 8, resolution: '1080p' },
  })
})

for (const [name, error, kind] of [
  ['an invalid argument', { code: 3, message: 'bad frame' }, 'invalid'],
  ['a guideline', { code: 3, message: 'Blocked by Responsible AI practices.' }, 'content'],
  ['a full house', { code: 8, message: 'quota' }, 'busy'],
  ['an internal fault', { code: 13, message: 'internal' }, 'server'],
] as const) {
  test(`an operation that ends with ${name} has failed as ${kind}`, () => {
    const ended = state({ error })
    assert.ok(ended.state === 'failed')
    assert.equal(ended.error.kind, kind)
  })
}

test('an operation that ends without a video has failed', () => {
  assert.equal(state({ response: { generateVideoResponse: {} } }).state, 'failed')
})
