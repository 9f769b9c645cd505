import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CatalogueModel } from '#console/api/types.ts'
import { modelsSearch } from '#console/screens/models/address.ts'
import { filterModels } from '#console/screens/models/filter-models.ts'
import { modelLine } from '#console/shared/model-facts.ts'
import { priceText, sourceText } from '#console/shared/model-price.ts'

const model = (id: string, changes: Partial<CatalogueModel> = {}): CatalogueModel => ({
  id,
  name: id,
  provider: 'openai',
  kind: 'TEXT',
  description: '',
  enabled: true,
  capabilities: { inputModalities: ['text'] },
  pricing: null,
  state: 'unpriced',
  why: 'No price is known.',
  withOwnKey: false,
  priceDate: null,
  lifecycle: { status: 'active' },
  ...changes,
})
const tokens = (input: number, output: number) => ({
  currency: 'USD',
  inputPerMillionTokens: input,
  outputPerMillionTokens: output,
})
const models = [
  model('demo', { provider: 'embedded', demo: true, state: 'ready' }),
  model('dear', { pricing: tokens(10, 50), state: 'ready' }),
  model('cheap', {
    pricing: tokens(1, 5),
    state: 'ready',
    capabilities: { inputModalities: ['text', 'image'], maxInputTokens: 922_000 },
  }),
  model('picture', { provider: 'fal', kind: 'IMAGE', state: 'no-key' }),
]
const ids = (search: Record<string, unknown>) =>
  filterModels(models, modelsSearch(search)).map(({ id }) => id)

test('models are found by every filter, alone and together', () => {
  assert.deepEqual(ids({}), ['dear', 'cheap', 'demo', 'picture'], 'what can be used comes first')
  assert.deepEqual(ids({ kind: 'IMAGE' }), ['picture'])
  assert.deepEqual(ids({ provider: 'openai', ability: 'pictures' }), ['cheap'])
  assert.deepEqual(ids({ price: 'free' }), ['demo'])
  assert.deepEqual(ids({ price: 'unknown', state: 'no-key' }), ['picture'])
  assert.deepEqual(ids({ q: 'OpenAI che' }), ['cheap'])
})

test('the cheapest come first, each kind by its own unit, those without a price last', () => {
  assert.deepEqual(ids({ sort: 'price' }), ['demo', 'cheap', 'dear', 'picture'])
})

test('what an address cannot mean is dropped', () => {
  assert.deepEqual(modelsSearch({ kind: 'SOUP', state: 'ready', q: 7 }), { state: 'ready' })
})

test('a line names provider, price and context', () => {
  const [, , cheap] = models
  assert.ok(cheap)
  assert.match(modelLine(cheap), /^OpenAI · \$1\.00 in, \$5\.00 out per M tokens · 922K context$/i)
})

test('every unit has a price in words, and its source is short', () => {
  const priced = (pricing: object) => priceText({ pricing: { currency: 'USD', ...pricing } }, 'en')
  assert.equal(priced({ inputAudioPerHour: 0.36 }), '$0.36 an hour')
  assert.equal(priced({ inputPerMillionCharacters: 15 }), '$15.00 per million characters')
  assert.equal(priced({ inputPerMillionTokens: 0.02 }), '$0.02 per million tokens')
  const source = { source: 'npm:@pydantic/genai-prices@0.1.8', date: '2026-09-23' }
  assert.equal(sourceText(source, 'en'), 'price of Sep 23, 2026 from genai-prices')
})
