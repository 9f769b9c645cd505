import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSchemaChecker } from '../../../src/expressions/schema-checker.ts'

const checker = createSchemaChecker()
after(() => checker.close())

const check = async (schema: object, ...values: unknown[]) => {
  const [answer] = await checker.checkSchemas('account', [
    values.length === 0 ? { schema } : { schema, value: values[0] },
  ])
  assert.ok(answer)
  return answer
}

test('a value is checked against the schema, and its mistakes are located', async () => {
  const schema = {
    type: 'object',
    properties: { age: { $ref: '#/$defs/age' } },
    $defs: { age: { type: 'integer', minimum: 18 } },
  }
  assert.deepEqual(await check(schema, { age: 20 }), { issues: [] })
  assert.deepEqual(await check(schema, { age: 7 }), {
    issues: [{ path: '/age', rule: 'minimum', message: 'must be >= 18' }],
  })
})

const faulty: Record<string, object> = {
  'an unknown keyword': { type: 'string', minLenght: 3 },
  'a keyword of another type': { properties: { a: { type: 'string' } } },
  'a choice of types as a list': { type: ['string', 'number'] },
  'a reference to another place': { $ref: 'https://example.com/schema' },
  'a reference to nothing': { $ref: '#/$defs/missing' },
  'an unknown format': { type: 'string', format: 'colour' },
  'a pattern that is no regular expression': { type: 'string', pattern: '(' },
}

for (const [name, schema] of Object.entries(faulty)) {
  test(`${name} is a fault of the schema`, async () => {
    assert.ok('schema' in (await check(schema)))
  })
}

test('a reference to itself without end is a fault, not a crash', async () => {
  assert.ok('schema' in (await check({ $ref: '#' }, 1)))
})

test('a pattern that backtracks for ever is stopped, and the next check is served', async () => {
  const schema = { type: 'string', pattern: '^(a+)+$' }
  assert.ok('schema' in (await check(schema, `${'a'.repeat(40)}!`)))
  assert.deepEqual(await check({ type: 'string' }, 'a'), { issues: [] })
})

test('a schema whose alternatives multiply is stopped', async () => {
  const twice = { $ref: '#/$defs/node' }
  const either = { type: 'object', properties: { next: twice }, required: ['end'] }
  const schema = { ...twice, $defs: { node: { anyOf: [either, { ...either }, { type: 'null' }] } } }
  let value: unknown = { no: 1 }
  for (let i = 0; i < 60; i++) value = { next: value }
  assert.ok('schema' in (await check(schema, value)))
})
