import assert from 'node:assert/strict'
import { test } from 'node:test'
import { schemaText } from '#agents/skills/schema-text.ts'

test('an object shows its members, which are optional, and their descriptions', () => {
  const text = schemaText({
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string', format: 'uuid', description: 'Its name.' },
      size: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    },
  })
  assert.equal(text, '{\n  id: uuid  // Its name.\n  size?: integer (1 to 200)  // default 50\n}')
})

test('choices, lists, maps and open objects are distinguished', () => {
  const forms: [object, string][] = [
    [{ enum: ['a', 'b'] }, '"a" | "b"'],
    [{ const: true }, 'true'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
    [{ type: 'array', items: { type: 'string' }, maxItems: 3 }, 'string[] (at most 3 items)'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
    [{ type: 'array', items: {} }, '(any JSON value)[]'],
    [{ type: 'object', patternProperties: { '^.*$': { type: 'number' } } }, '{ [name]: number }'],
    [{ type: 'object', maxProperties: 100 }, 'object (at most 100 members)'],
    [{}, 'any JSON value'],
  ]
  for (const [schema, text] of forms) assert.equal(schemaText(schema), text)
})

test('limits are shown in words, and the largest safe integer is not shown as a limit', () => {
  assert.equal(
    schemaText({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    'integer (at least 1)',
  )
  assert.equal(schemaText({ type: 'string', maxLength: 128 }), 'string (at most 128 characters)')
  assert.equal(schemaText({ type: 'number', exclusiveMinimum: 0 }), 'number (> 0)')
})
