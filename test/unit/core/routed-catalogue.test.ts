import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Capabilities, type CatalogueEntry, createCatalogue } from '#core/catalogue.ts'
import type { Route, Routes } from '#core/route.ts'
import { servedBy, withRoutes } from '#core/routed-catalogue.ts'
import { sharedCapabilities } from '#core/shared-capabilities.ts'

const entry = (
  id: string,
  { price, enabled = true, ...more }: { price?: number; enabled?: boolean } & Partial<Capabilities>,
): CatalogueEntry => ({
  model: {
    ...{ id, name: id, provider: 'p', kind: 'TEXT', description: '', enabled },
    capabilities: { inputModalities: ['text'], ...more },
    pricing:
      price === undefined
        ? null
        : { currency: 'USD', inputPerMillionTokens: price, outputPerMillionTokens: price },
  },
  ...{ provider: 'p', providerModel: id, fallbacks: [] },
})

const catalogue = createCatalogue([
  entry('cheap', { price: 1, maxOutputTokens: 100 }),
  entry('dear', { price: 9, structuredOutput: true }),
  entry('unpriced', {}),
  entry('off', { price: 2, enabled: false }),
])
const route = (models: string[], more: Partial<Route> = {}): Route => ({
  ...{ name: 'r', candidates: models.map((model) => ({ model })), sort: 'order', on: [] },
  ...more,
})
const seen = (given: Route) => withRoutes(catalogue, { r: given }).known('route:r')?.model
const served = (given: Route) =>
  servedBy(catalogue, given, { owner: 'server' }).map(({ model }) => model.id)

describe('a route in a catalogue', () => {
  test('has the price of the dearest, and what all of its usable candidates have', () => {
    const model = seen(route(['cheap', 'dear', 'off']))
    assert.equal(model?.pricing?.inputPerMillionTokens, 9)
    assert.equal(model?.capabilities.maxOutputTokens, 100)
    assert.equal(model?.capabilities.structuredOutput, undefined)
    assert.equal(model?.enabled, true)
    assert.equal(seen(route(['off']))?.enabled, false)
  })

  test('leaves out what is too dear, unpriced, not able or not usable', () => {
    const all = ['cheap', 'dear', 'unpriced', 'off']
    assert.deepEqual(served(route(all)), ['cheap', 'dear', 'unpriced'])
    assert.deepEqual(served(route(all, { maxPrice: { inputPerMillionTokens: 5 } })), ['cheap'])
    assert.deepEqual(served(route(all, { require: ['structuredOutput'] })), ['dear'])
  })

  test('is found by its own name only, whatever the name', () => {
    const routes: Routes = { constructor: route(['cheap'], { name: 'constructor' }) } as never
    const view = withRoutes(catalogue, routes)
    assert.equal(view.find('route:constructor')?.model.id, 'route:constructor')
    assert.equal(view.find('route:toString'), undefined)
    assert.equal(view.find('constructor'), undefined)
    assert.equal(withRoutes(catalogue, undefined), catalogue)
  })

  test('follows the models when they are replaced', () => {
    const changing = createCatalogue([entry('cheap', { price: 1 })])
    const routes: Routes = { r: route(['cheap']) }
    assert.equal(
      withRoutes(changing, routes).find('route:r')?.model.pricing?.outputPerMillionTokens,
      1,
    )
    changing.replace([entry('cheap', { price: 3 })])
    assert.equal(
      withRoutes(changing, routes).find('route:r')?.model.pricing?.outputPerMillionTokens,
      3,
    )
  })
})

test('what several models can do is never more than what each can', () => {
  const one: Capabilities = {
    inputModalities: ['text', 'image'],
    temperature: { min: 0, max: 2 },
    imageAspectRatios: ['1:1', '16:9'],
    videoSeconds: { min: 4, max: 8, default: 8, values: [4, 6, 8] },
    reasoningEfforts: ['low', 'high'],
    mediaOptions: ['seed'],
    maxInputImages: 4,
    stopSequences: false,
  }
  const other: Capabilities = {
    inputModalities: ['text'],
    temperature: { min: 0, max: 1 },
    imageAspectRatios: ['1:1', '4:3'],
    videoSeconds: { min: 5, max: 10, default: 5 },
    documents: true,
  }
  for (const pair of [
    [one, other],
    [other, one],
  ]) {
    const shared = sharedCapabilities(pair)
    assert.deepEqual(shared.inputModalities, ['text'])
    assert.deepEqual(shared.temperature, { min: 0, max: 1 })
    assert.deepEqual(shared.imageAspectRatios, ['1:1'])
    assert.deepEqual(shared.videoSeconds?.values, [6, 8])
    assert.deepEqual([shared.reasoningEfforts, shared.mediaOptions], [[], []])
    assert.deepEqual(
      [shared.maxInputImages, shared.stopSequences, shared.documents],
      [1, false, undefined],
    )
  }
})
