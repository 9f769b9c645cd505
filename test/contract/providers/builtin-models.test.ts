import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { type PricedUnits, priceNames, priceOf, type UnitPrices } from '#core/pricing.ts'
import { pricesAt } from '#providers/builtin-model.ts'
import { builtinModels } from '#providers/builtin-models.ts'
import { queueCall } from '#providers/fal/request.ts'
import { imageSize } from '#providers/openai/sizes.ts'
import type { MediaRequest } from '#providers/provider.ts'
import { predictionInput } from '#providers/replicate/request.ts'
import { tokenPrices } from '#providers/token-prices.ts'

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

const day = /^2026-\d\d-\d\d$/
/** The newest day on which anything here was looked up. */
const catalogueDay =
  builtinModels
    .map(({ facts }) => facts.date)
    .sort()
    .at(-1) ?? ''
const daysBefore = (earlier: string) =>
  (Date.parse(catalogueDay) - Date.parse(earlier)) / (24 * 60 * 60 * 1000)

test('every model says where its capabilities were read, and when', () => {
  for (const { id, facts } of builtinModels) {
    assert.match(facts.date, day, id)
    const { name, version } =
      /^npm:(?<name>.+)@(?<version>[\d.]+)$/.exec(facts.source)?.groups ?? {}
    if (name === undefined) assert.match(facts.source, /^https:\/\//, id)
    else assert.equal(installedVersion(name), version, `${id}: read it again in the new version`)
  }
})

const installedVersion = (name: string): string =>
  JSON.parse(
    readFileSync(new URL(`../../../node_modules/${name}/package.json`, import.meta.url), 'utf8'),
  ).version

// Counted from the catalogue's own newest day, not from today: a copy of last year still passes,
// and whoever brings the catalogue up to date has to look at every old price.
test('a price older than 60 days was reviewed since', () => {
  for (const { id, pricing } of builtinModels) {
    if (!pricing) continue
    const seen = pricing.priceReviewed ?? pricing.priceDate
    assert.match(seen, day, id)
    assert.ok(daysBefore(seen) <= 60, `${id}: its price was last seen on ${seen}`)
  }
})

test('every model of words says what its vendor lets callers decide', () => {
  for (const { id, kind, capabilities } of builtinModels) {
    if (kind !== 'TEXT' && kind !== 'CODE') continue
    const { forcedToolChoice, structuredOutput, reasoningEfforts, maxInputTokens } = capabilities
    assert.ok(forcedToolChoice !== undefined && structuredOutput !== undefined, id)
    assert.ok(reasoningEfforts && maxInputTokens && capabilities.maxOutputTokens, id)
  }
})

test('every flat price names its source and day, and is not nothing', () => {
  for (const { id, pricing } of builtinModels) {
    if (pricing === undefined) continue
    assert.match(pricing.priceSource, /^https:\/\//, id)
    assert.match(pricing.priceDate, /^2026-\d\d-\d\d$/, id)
    const price = priceNames.map((name) => pricing[name]).find((one) => one !== undefined)
    assert.ok(typeof price === 'number' && price > 0, id)
  }
})

const nowMs = Date.UTC(2026, 10, 17)
const pricesOf = (id: string): UnitPrices | null => {
  const model = builtinModels.find((one) => one.id === id)
  assert.ok(model, id)
  return pricesAt(model, nowMs) ?? tokenPrices(model.provider, model.providerModel, nowMs)
}

test('only models whose price depends on more than their units have none', () => {
  const unpriced = builtinModels.map(({ id }) => id).filter((id) => pricesOf(id) === null)
  assert.deepEqual(unpriced.sort(), [
    'fal/veo-3.1-fast',
    'gemini/gemini-omni-1.1-flash',
    'replicate/flux-2-pro',
    'replicate/seedance-2.0-fast',
  ])
})

describe('the newest models cost what their vendors publish', () => {
  const million = 1_000_000
  const cached = { inputTokens: 300_000, cachedInputTokens: 200_000, outputTokens: 1_000 }
  const short = { inputTokens: 100_000, cachedInputTokens: 90_000, outputTokens: 1_000 }
  const cases: [string, PricedUnits, number][] = [
    ['openai/gpt-6.1-sol', short, 10_000 * 2 + 90_000 * 0.1 + 1_000 * 10],
    ['openai/gpt-6.1-sol', cached, 100_000 * 4 + 200_000 * 0.2 + 1_000 * 15],
    ['openai/gpt-6.1-terra', short, 10_000 * 1 + 90_000 * 0.05 + 1_000 * 5],
    ['openai/gpt-6.1-terra', cached, 100_000 * 2 + 200_000 * 0.1 + 1_000 * 7.5],
    ['anthropic/claude-sonnet-5-5', cached, 100_000 * 2 + 200_000 * 0.1 + 1_000 * 10],
    ['anthropic/claude-fable-5-2', cached, 100_000 * 8 + 200_000 * 0.2 + 1_000 * 40],
    ['anthropic/claude-haiku-5-5', short, 10_000 * 0.1 + 90_000 * 0.01 + 1_000 * 0.5],
    ['anthropic/claude-haiku-5-5', cached, 100_000 * 0.5 + 200_000 * 0.05 + 1_000 * 2.5],
    [
      'anthropic/claude-haiku-5-5',
      { inputTokens: 100_000, cacheWriteTokens: 100_000, outputTokens: 0 },
      100_000 * 0.125,
    ],
    ...['2.5-flare', '2.5-sunburst', '2.6-flare', '2.6-sunburst'].map(
      (name): [string, PricedUnits, number] => [
        `openai/gpt-image-${name}`,
        { inputTokens: 2 * million, inputImageTokens: million, outputTokens: million },
        5 * million + 8 * million + 30 * million,
      ],
    ),
  ]
  for (const [id, units, micros] of cases) {
    test(`${id} for ${units.inputTokens} tokens in`, () => {
      assert.equal(priceOf(pricesOf(id), units), Math.round(micros))
    })
  }

  test('and a model is known to take as much as its vendor lets it', () => {
    const haiku = builtinModels.find(({ id }) => id === 'anthropic/claude-haiku-5-5')
    assert.equal(haiku?.capabilities.maxInputTokens, million)
    assert.deepEqual(haiku?.capabilities.contextTiers, [100_000])
  })
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
