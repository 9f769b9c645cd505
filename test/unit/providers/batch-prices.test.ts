import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CatalogueEntry } from '#core/catalogue.ts'
import { batchPricingOf, flexPricingOf } from '#providers/batch-prices.ts'
import { parsePricesFile } from '#providers/prices-file.ts'

const entry = (provider: string, kind: 'TEXT' | 'IMAGE' = 'TEXT'): CatalogueEntry => ({
  model: {
    ...{ id: 'm', name: 'm', provider, kind, description: '', enabled: true },
    capabilities: { inputModalities: ['text'] },
    pricing: {
      ...{ currency: 'USD', inputPerMillionTokens: 3, outputPerMillionTokens: 15, perSearch: 0.01 },
      longContext: [{ aboveInputTokens: 200_000, inputPerMillionTokens: 6 }],
    },
  },
  ...{ provider, providerModel: 'm', fallbacks: [] },
})
const nothing = { change: undefined, listed: null, isBuiltIn: true }

test('built-in text models of OpenAI and Anthropic cost half in batches, searches the same', () => {
  assert.deepEqual(batchPricingOf(entry('anthropic'), nothing), {
    ...{ currency: 'USD', inputPerMillionTokens: 1.5, outputPerMillionTokens: 7.5 },
    perSearch: 0.01,
    longContext: [{ aboveInputTokens: 200_000, inputPerMillionTokens: 3 }],
  })
})

test('a model that is not known to take batches has no such price', () => {
  assert.equal(batchPricingOf(entry('gemini'), nothing), undefined)
  assert.equal(batchPricingOf(entry('openai'), { ...nothing, isBuiltIn: false }), undefined)
  assert.equal(batchPricingOf(entry('openai', 'IMAGE'), nothing), undefined)
  const without = { ...entry('openai'), model: { ...entry('openai').model, pricing: null } }
  assert.equal(batchPricingOf(without, nothing), undefined)
})

test('the operator has the last word', () => {
  const off = { ...nothing, change: { id: 'm', batch: false } }
  assert.equal(batchPricingOf(entry('openai'), off), undefined)
  const own = { id: 'm', batchPricing: { inputPerMillionTokens: 1 } }
  const priced = batchPricingOf(entry('local'), { ...nothing, change: own, isBuiltIn: false })
  assert.equal(priced?.inputPerMillionTokens, 1)
  assert.equal(priced?.outputPerMillionTokens, 7.5)
})

test('a model has a flex tier if the operator or a list says so, built in or not', () => {
  const none = { change: undefined, listed: null }
  assert.equal(flexPricingOf(entry('openai'), none), undefined)
  const half = flexPricingOf(entry('openai'), { ...none, change: { id: 'm', flex: true } })
  assert.equal(half?.outputPerMillionTokens, 7.5)
  const listed = { inputPerMillionTokens: 1, outputPerMillionTokens: 4 }
  assert.equal(flexPricingOf(entry('openai'), { ...none, listed })?.outputPerMillionTokens, 4)
  const off = { listed, change: { id: 'm', flex: false } }
  assert.equal(flexPricingOf(entry('openai'), off), undefined)
  const own = { listed, change: { id: 'm', flexPricing: { outputPerMillionTokens: 3 } } }
  assert.equal(flexPricingOf(entry('openai'), own)?.outputPerMillionTokens, 3)
  const file = parsePricesFile(
    JSON.stringify({
      m: {
        ...{ litellm_provider: 'openai', mode: 'chat' },
        ...{ input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5 },
        ...{ input_cost_per_token_flex: 1e-6, output_cost_per_token_flex: 4e-6 },
        cache_read_input_token_cost_flex: 1e-7,
      },
    }),
  )
  const named = { id: 'm', provider: 'openai', providerModel: 'm' }
  assert.deepEqual(file.flexPricesOf(named), { ...listed, cachedInputPerMillionTokens: 0.1 })
  assert.equal(file.batchPricesOf(named), null)
})

test("LiteLLM's prices of batches count, if input and output are there", () => {
  const listed = (more: object) =>
    parsePricesFile(
      JSON.stringify({
        m: {
          ...{ litellm_provider: 'openai', mode: 'chat' },
          ...{ input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5, ...more },
        },
      }),
    ).batchPricesOf({ id: 'm', provider: 'openai', providerModel: 'm' })
  const both = { input_cost_per_token_batches: 1e-6, output_cost_per_token_batches: 4e-6 }
  const prices = { inputPerMillionTokens: 1, outputPerMillionTokens: 4 }
  assert.deepEqual(listed(both), prices)
  assert.equal(listed({ input_cost_per_token_batches: 1e-6 }), null)
  const found = batchPricingOf(entry('openai'), { ...nothing, listed: prices, isBuiltIn: false })
  assert.equal(found?.outputPerMillionTokens, 4)
})
