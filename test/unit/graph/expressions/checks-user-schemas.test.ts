import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findNodeType } from '#graph/types/table.ts'
import { createSchemaChecker } from '../../../../src/graph/expressions/schema-checker.ts'

const checker = createSchemaChecker({ patienceMs: Number.POSITIVE_INFINITY })
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
  'a reference to another place': { $ref: 'https://example.com/schema' },
  'a reference to nothing': { $ref: '#/$defs/missing' },
  'a keyword with a value of the wrong type': { type: 'string', minLength: 'three' },
  'a type that does not exist': { type: 'text' },
  'a pattern that is no regular expression': { type: 'string', pattern: '(' },
}

for (const [name, schema] of Object.entries(faulty)) {
  test(`${name} is reported as an error of the schema`, async () => {
    assert.ok('schema' in (await check(schema)))
  })
}

const accepted: Record<string, [schema: object, good: unknown, bad: unknown]> = {
  'required without properties': [{ type: 'object', required: ['a'] }, { a: 1 }, {}],
  'a keyword of our own': [{ type: 'string', 'x-order': 3, hint: 'a name' }, 'a', 1],
  'a condition without a type': [
    { if: { properties: { a: { const: 1 } } }, else: { required: ['b'] } },
    { a: 2, b: 2 },
    { a: 2 },
  ],
  'an unknown format': [{ type: 'string', format: 'colour' }, 'red', 1],
  'a choice of types as a list': [{ type: ['string', 'number'] }, 1, true],
  'a keyword beside another type': [{ type: 'string', minimum: 3 }, 'a', 4],
  'items beside prefixItems of another length': [
    { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    ['a', 1, 2],
    ['a', 'b'],
  ],
  'a name that every object inherits': [{ required: ['constructor'] }, 1, {}],
}

for (const [name, [schema, good, bad]] of Object.entries(accepted)) {
  test(`${name} is accepted, as JSON Schema 2020-12 requires`, async () => {
    assert.deepEqual(await check(schema, good), { issues: [] })
    const answer = await check(schema, bad)
    assert.ok('issues' in answer && answer.issues.length > 0, JSON.stringify(answer))
  })
}

const keywordsOfAjv: Record<string, [schema: object, bad: unknown]> = {
  nullable: [{ type: 'string', nullable: true }, null],
  $async: [{ $async: true, properties: { id: { $async: true, type: 'string' } } }, { id: 1 }],
  id: [{ id: 'https://example.com/order', type: 'string' }, 1],
}

for (const [name, [schema, bad]] of Object.entries(keywordsOfAjv)) {
  test(`${name} is an unknown keyword and has no effect`, async () => {
    const written = findNodeType('input.json')?.userSchema?.({ schema })
    assert.ok(written)
    const answer = await check(written.schema, bad)
    assert.ok('issues' in answer && answer.issues.length > 0, JSON.stringify(answer))
  })
}

test('an endless reference to itself is an error, not a crash', async () => {
  assert.ok('schema' in (await check({ $ref: '#' }, 1)))
})

test('a pattern that backtracks forever is stopped, and the next check is served', async () => {
  const schema = { type: 'string', pattern: '^(a+)+$' }
  assert.ok('schema' in (await check(schema, `${'a'.repeat(40)}!`)))
  assert.deepEqual(await check({ type: 'string' }, 'a'), { issues: [] })
})

test('a schema whose alternatives grow exponentially is stopped', async () => {
  const twice = { $ref: '#/$defs/node' }
  const either = { type: 'object', properties: { next: twice } }
  const schema = { ...twice, $defs: { node: { anyOf: [either, { ...either }, { type: 'null' }] } } }
  let value: unknown = 'neither an object nor null'
  for (let i = 0; i < 60; i++) value = { next: value }
  assert.ok('schema' in (await check(schema, value)))
})
