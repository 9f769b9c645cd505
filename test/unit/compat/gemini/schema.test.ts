import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closedSchema, googleSchema, isStrict } from '#compat/gemini/schema.ts'

test("Google's words for schemas become those of JSON Schema", () => {
  const given = {
    type: 'OBJECT',
    properties: {
      type: { type: 'STRING', enum: ['a', 'b'], format: 'enum', nullable: true },
      list: { type: 'ARRAY', items: { type: 'INTEGER', format: 'int64' }, min_items: '2' },
      any: { any_of: [{ type: 'NUMBER' }, { type: 'NULL' }], nullable: false },
      when: { type: 'STRING', format: 'date-time', example: 'now' },
      maybe: { anyOf: [{ type: 'STRING' }], nullable: true },
    },
    required: ['type'],
    propertyOrdering: ['type', 'list'],
  }
  assert.deepEqual(googleSchema(given), {
    type: 'object',
    properties: {
      type: { type: ['string', 'null'], enum: ['a', 'b', null] },
      list: { type: 'array', items: { type: 'integer' }, minItems: 2 },
      any: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      when: { type: 'string', format: 'date-time', examples: ['now'] },
      maybe: { anyOf: [{ anyOf: [{ type: 'string' }] }, { type: 'null' }] },
    },
    required: ['type'],
  })
})

test('objects are closed unless they say otherwise, and strict if nothing is optional', () => {
  const open = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true }
  const pair = { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] }
  const all = closedSchema({ type: 'array', items: pair })
  assert.deepEqual(all, { type: 'array', items: { ...pair, additionalProperties: false } })
  assert.deepEqual(closedSchema(open), open)
  assert.equal(isStrict(all), true)
  assert.equal(isStrict(closedSchema({ ...pair, required: [] })), false)
  assert.equal(isStrict(closedSchema({ ...pair, default: {} })), false)
  assert.equal(isStrict({ type: 'object' }), false)
})
