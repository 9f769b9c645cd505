import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CatalogueEntry, createCatalogue } from '#core/catalogue.ts'

const entry = (id: string, enabled = true): CatalogueEntry => ({
  model: {
    id,
    name: id,
    provider: 'p',
    kind: 'TEXT',
    description: '',
    enabled,
    capabilities: { inputModalities: ['text'] },
    pricing: null,
  },
  provider: 'p',
  providerModel: id,
  fallbacks: [],
})

test('a replaced catalogue shows its new models at once, and knows those that are gone', () => {
  const catalogue = createCatalogue([entry('a'), entry('b')])
  const { models, revision } = catalogue
  catalogue.replace([entry('b', false), entry('c')])
  assert.deepEqual(
    catalogue.models.map(({ id }) => id),
    ['c'],
  )
  assert.equal(catalogue.find('a'), undefined)
  assert.equal(catalogue.known('a')?.model.enabled, false)
  assert.equal(catalogue.known('b')?.model.enabled, false)
  assert.ok(catalogue.revision > revision)
  assert.equal(models.length, 2, 'whoever holds the old list keeps it')
  catalogue.replace([entry('a')])
  assert.equal(catalogue.find('a')?.model.enabled, true)
})
