import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { builtinModels } from '#providers/builtin-models.ts'
import { queueCall } from '#providers/fal/request.ts'
import { imageSize } from '#providers/openai/sizes.ts'
import type { MediaRequest } from '#providers/provider.ts'
import { predictionInput } from '#providers/replicate/request.ts'

const media = builtinModels.filter(({ kind }) => kind === 'IMAGE' || kind === 'VIDEO')

const requestFor = (model: (typeof media)[number], extra: object): MediaRequest => ({
  kind: model.kind === 'VIDEO' ? 'VIDEO' : 'IMAGE',
  model: model.providerModel,
  prompt: 'A door',
  ...extra,
})

/** What would go over the wire, or undefined where another test covers it. */
function sent(provider: string, request: MediaRequest): unknown {
  if (provider === 'fal') return queueCall(request)
  return provider === 'replicate' ? predictionInput(request, 'task') : undefined
}

test('every model has its own id, which begins with its provider', () => {
  assert.equal(new Set(builtinModels.map(({ id }) => id)).size, builtinModels.length)
  for (const { id, provider } of builtinModels) assert.ok(id.startsWith(`${provider}/`))
})

test('every flat price names its source and day, and is not nothing', () => {
  for (const { id, pricing } of builtinModels) {
    if (pricing === undefined) continue
    assert.match(pricing.priceSource, /^https:\/\//, id)
    assert.match(pricing.priceDate, /^2026-\d\d-\d\d$/, id)
    assert.ok((pricing.perImage ?? pricing.perSecond ?? pricing.inputPerMillionTokens ?? 0) > 0, id)
  }
})

describe('nothing a model declares is dropped on the way', () => {
  for (const model of media) {
    const { capabilities, provider } = model
    const plain = JSON.stringify(sent(provider, requestFor(model, {})))

    for (const aspectRatio of capabilities.imageAspectRatios ??
      capabilities.videoAspectRatios ??
      []) {
      test(`${model.id} at ${aspectRatio}`, () => {
        const request = requestFor(model, { aspectRatio })
        if (provider === 'openai' && request.kind === 'IMAGE') assert.ok(imageSize(request))
        else if (plain) assert.notEqual(JSON.stringify(sent(provider, request)), plain)
      })
    }

    if (plain && capabilities.inputModalities.includes('image')) {
      test(`${model.id} with a picture`, () => {
        const image = { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/png' }
        assert.match(JSON.stringify(sent(provider, requestFor(model, { image }))), /base64,AQID/)
      })
    }
  }
})
