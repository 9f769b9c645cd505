import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { priceOf } from '#core/pricing.ts'
import { parsePricesFile } from '#providers/prices-file.ts'
import { priceDataSource } from '#providers/token-prices.ts'

const of = (provider: string, providerModel: string) => ({
  ...{ id: `${provider}/${providerModel}`, provider, providerModel },
})

describe('a file of prices in our own format', () => {
  const file = parsePricesFile(
    JSON.stringify({
      source: 'https://example.com/prices',
      date: '2026-11-17',
      prices: { 'openai/gpt-6-sol': { inputPerMillionTokens: 1, outputPerMillionTokens: 4 } },
    }),
  )

  test('prices models by the names that callers use, with its date and source', () => {
    assert.deepEqual(file.find(of('openai', 'gpt-6-sol')), {
      pricing: { currency: 'USD', inputPerMillionTokens: 1, outputPerMillionTokens: 4 },
      priceSource: { source: 'https://example.com/prices', date: '2026-11-17' },
    })
    assert.equal(file.find(of('openai', 'toString')), null)
    assert.equal(file.find({ ...of('x', 'y'), id: 'constructor' }), null)
  })

  const own = { source: 's', date: '2026-11-17', prices: {} }
  const wrong: [string, unknown, RegExp][] = [
    ['no JSON', undefined, /is not JSON/],
    ['a price below 0', { ...own, prices: { a: { perImage: -1 } } }, /\/prices\/a\/perImage/],
    ['an unknown price', { ...own, prices: { a: { perImg: 1 } } }, /did you mean "perImage"/],
    ['no date', { ...own, date: undefined }, /date/],
    ['a date that is none', { ...own, date: 'today' }, /a day, as 2026-11-17/],
    ['LiteLLM’s without a price', { a: { litellm_provider: 'openai' } }, /no price/],
  ]
  for (const [what, value, message] of wrong) {
    test(`is refused with ${what}, and the position is named`, () => {
      assert.throws(() => parsePricesFile(JSON.stringify(value) ?? '{'), message)
    })
  }
})

describe('LiteLLM’s file', () => {
  const file = parsePricesFile(
    JSON.stringify({
      sample_spec: { litellm_provider: 'one of the providers', input_cost_per_token: 0 },
      'gpt-6.1-sol': {
        litellm_provider: 'openai',
        mode: 'chat',
        input_cost_per_token: 2e-6,
        output_cost_per_token: 1e-5,
        cache_read_input_token_cost: 1e-7,
        input_cost_per_token_above_272k_tokens: 4e-6,
        output_cost_per_token_above_272k_tokens: 1.5e-5,
        input_cost_per_token_priority: 9,
      },
      'claude-haiku-5-5': {
        litellm_provider: 'anthropic',
        input_cost_per_token: 1e-7,
        cache_creation_input_token_cost_above_1hr: 2e-7,
        output_cost_per_token: 5e-7,
      },
      'gemini/gemini-3.8-flash': {
        litellm_provider: 'gemini',
        input_cost_per_token: 7.5e-7,
        output_cost_per_token: 3.75e-6,
      },
      'fal_ai/fal-ai/flux/schnell': { litellm_provider: 'fal_ai', output_cost_per_image: 0.003 },
      'whisper-1': {
        ...{ litellm_provider: 'openai', mode: 'audio_transcription' },
        input_cost_per_second: 0.0001,
      },
      'gpt-5-nano': {
        ...{ litellm_provider: 'openai', deprecation_date: '2027-03-01' },
        ...{ input_cost_per_token: 5e-8, output_cost_per_token: 4e-7 },
      },
      'azure/gpt-6-sol': { litellm_provider: 'azure', input_cost_per_token: 9e-6 },
      free: { litellm_provider: 'openai', input_cost_per_token: 0, output_cost_per_token: 0 },
    }),
  )
  const prices = (provider: string, model: string) =>
    file.find(of(provider, model))?.pricing ?? null

  test('prices tokens with their cache and tiers', () => {
    const sol = prices('openai', 'gpt-6.1-sol')
    const used = { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 100 }
    assert.equal(priceOf(sol, used), 600 * 2 + 400 * 0.1 + 100 * 10)
    assert.equal(priceOf(sol, { inputTokens: 300_000, outputTokens: 100 }), 300_000 * 4 + 100 * 15)
    assert.equal(prices('anthropic', 'claude-haiku-5-5')?.cacheWrite1hPerMillionTokens, 0.2)
    assert.equal(prices('gemini', 'gemini-3.8-flash')?.inputPerMillionTokens, 0.75)
  })

  test('prices pictures and hours of sound', () => {
    assert.equal(prices('fal', 'fal-ai/flux/schnell')?.perImage, 0.003)
    assert.equal(prices('openai', 'whisper-1')?.inputAudioPerHour, 0.36)
  })

  test('prices no model of another provider, and none at 0, which may mean unknown', () => {
    assert.equal(prices('openai', 'gpt-6-sol'), null)
    assert.equal(prices('openai', 'free'), null)
    assert.equal(prices('openai', 'sample_spec'), null)
  })

  test('tells when a model ends', () => {
    assert.deepEqual(file.shutdownOf(of('openai', 'gpt-5-nano')), { day: '2027-03-01' })
    assert.equal(file.shutdownOf(of('openai', 'gpt-6.1-sol')), null)
  })
})

const modelsDev = {
  google: {
    ...{ id: 'google', name: 'Google' },
    models: {
      'gemini-2.5-pro': {
        ...{ id: 'gemini-2.5-pro', name: 'Gemini 2.5 Pro', structured_output: true },
        modalities: { input: ['text', 'image', 'pdf'], output: ['text'] },
        limit: { context: 1_048_576, output: 65_536 },
        cost: {
          ...{ input: 1.25, output: 10, cache_read: 0.125 },
          tiers: [{ tier: { type: 'context', size: 200_000 }, input: 2.5, output: 15 }],
          context_over_200k: { input: 2.5, output: 15 },
        },
      },
      'gemini-old': { id: 'gemini-old', cost: { input: 1, output: 2 }, status: 'deprecated' },
      'gemini-half': { id: 'gemini-half', cost: { output: 2 } },
      'gemini-odd': {
        ...{ id: 'gemini-odd' },
        cost: { input: 1, output: 2, tiers: [{ tier: { type: 'time', size: 3 }, input: 9 }] },
      },
    },
  },
}

describe('the list of models.dev', () => {
  const file = parsePricesFile(JSON.stringify(modelsDev))
  const prices = (model: string) => file.find(of('gemini', model))?.pricing ?? null

  test('prices tokens with their cache and tiers, under our name of the provider', () => {
    const pro = prices('gemini-2.5-pro')
    const used = { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 100 }
    assert.equal(priceOf(pro, used), 600 * 1.25 + 400 * 0.125 + 100 * 10)
    const long = { inputTokens: 300_000, outputTokens: 100 }
    assert.equal(priceOf(pro, long), 300_000 * 2.5 + 100 * 15)
    assert.equal(file.models, 2)
  })

  test('prices nothing that it states in part, or that depends on more than the context', () => {
    assert.equal(prices('gemini-half'), null)
    assert.equal(prices('gemini-odd'), null)
  })

  test('tells which models are on their way out, and what a model can do', () => {
    assert.deepEqual(file.shutdownOf(of('gemini', 'gemini-old')), {})
    assert.equal(file.shutdownOf(of('gemini', 'gemini-2.5-pro')), null)
    const [pro] = file.listed
    assert.equal(pro?.kind, 'TEXT')
    assert.deepEqual(pro?.capabilities, {
      ...{ inputModalities: ['text', 'image'], documents: true, structuredOutput: true },
      ...{ maxInputTokens: 1_048_576, maxOutputTokens: 65_536 },
    })
  })

  test('may be kept with its address and the day on which it was taken', () => {
    const [source, date] = ['https://models.dev/api.json', '2026-11-17']
    const kept = parsePricesFile(JSON.stringify({ source, date, list: modelsDev }))
    assert.deepEqual(kept.find(of('gemini', 'gemini-old'))?.priceSource, { source, date })
    const wrong = JSON.stringify({ source, date, list: { a: 1 } })
    assert.throws(() => parsePricesFile(wrong), /neither LiteLLM’s nor models.dev’s/)
  })
})

test('the price data that is built in names the version that is installed', () => {
  const path = new URL('../../../node_modules/@pydantic/genai-prices/package.json', import.meta.url)
  const { name, version } = JSON.parse(readFileSync(path, 'utf8'))
  assert.equal(priceDataSource.source, `npm:${name}@${version}`)
})
