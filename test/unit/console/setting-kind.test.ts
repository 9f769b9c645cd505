import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offeredBy, settingKind, wordsIn } from '#console/canvas/inspector/setting-kind.ts'

const kindOf = (key: string, schema: object, hasModels = false) =>
  settingKind(key, schema, { hasModels })

test('a setting gets the control its schema asks for, and JSON where the schema is silent', () => {
  assert.deepEqual(kindOf('method', { type: 'string', enum: ['GET', 'PUT'] }), {
    kind: 'choice',
    choices: ['GET', 'PUT'],
  })
  assert.equal(kindOf('required', { type: 'boolean' }).kind, 'switch')
  assert.deepEqual(kindOf('maxTokens', { type: 'integer' }), { kind: 'number', whole: true })
  assert.equal(kindOf('label', { type: 'string' }).kind, 'line')
  assert.equal(kindOf('prompt', { type: 'string' }).kind, 'text')
  assert.deepEqual(kindOf('template', { type: 'string' }), { kind: 'code', language: 'template' })
  assert.deepEqual(kindOf('expression', { type: 'string' }), { kind: 'code', language: 'jsonata' })
  assert.deepEqual(kindOf('schema', {}), { kind: 'code', language: 'json' })
  assert.deepEqual(kindOf('values', { type: 'object' }), { kind: 'code', language: 'json' })
  assert.equal(kindOf('apply', { type: 'object', properties: { type: {} } }).kind, 'group')
  assert.equal(kindOf('model', { type: 'string' }, true).kind, 'model')
  assert.deepEqual(kindOf('until', { type: 'string' }), { kind: 'code', language: 'jsonata' })
  assert.equal(kindOf('until', { type: 'string', maxLength: 200 }).kind, 'line')
  assert.equal(kindOf('context', { type: 'array', items: { type: 'string' } }).kind, 'words')
  assert.deepEqual(wordsIn(' a, b c,, '), ['a', 'b c'])
})

test('a credential is chosen from those for requests, or for the provider of the model', () => {
  const request = kindOf('credential', { type: 'string' })
  assert.equal(request.kind === 'credential' && request.forModel, false)
  const purpose = { hasModels: true, provider: 'openai' }
  const model = settingKind('credential', { type: 'string' }, purpose)
  assert.deepEqual(model, { kind: 'credential', forModel: true, provider: 'openai' })
})

test('what the model offers is chosen from, unless something else is set already', () => {
  const capabilities = { imageAspectRatios: ['1:1', '16:9'], imageQualities: ['low'] }
  assert.deepEqual(offeredBy(capabilities, 'imageAspectRatio', undefined), {
    kind: 'choice',
    choices: ['1:1', '16:9'],
    optional: true,
  })
  assert.equal(offeredBy(capabilities, 'imageQuality', 'low')?.kind, 'choice')
  assert.equal(offeredBy(capabilities, 'imageQuality', 'made up'), null)
  assert.equal(offeredBy(undefined, 'imageQuality', undefined), null)
})

test('lengths are chosen from where the model takes certain ones, and typed where it does not', () => {
  const range = { min: 4, max: 8, default: 8 }
  const certain = { videoSeconds: { ...range, values: [4, 6, 8] } }
  assert.deepEqual(offeredBy(certain, 'videoSeconds', 6), {
    kind: 'choice',
    choices: [4, 6, 8],
    optional: true,
  })
  assert.equal(offeredBy(certain, 'videoSeconds', 5), null)
  assert.equal(offeredBy({ videoSeconds: range }, 'videoSeconds', 6), null)
})
