import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import {
  createCheck,
  type InputSchema,
  inputKind,
  missingInputs,
  readEntries,
  readEntry,
  toEntries,
  toEntry,
} from '#console/shared/run-form/inputs.ts'
import { noMore, readMore } from '#console/shared/run-form/more-options.ts'
import { createSubmissionKey } from '#console/shared/run-form/submission-key.ts'
import { rounds } from '../../support/rounds.ts'

const schemas: fc.Arbitrary<InputSchema> = fc.oneof(
  fc.record(
    {
      type: fc.constant('string'),
      minLength: fc.integer({ min: 0, max: 5 }),
      maxLength: fc.integer({ min: 3, max: 9 }),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record(
    {
      type: fc.constantFrom('number', 'integer'),
      minimum: fc.integer({ min: -9, max: 0 }),
      maximum: fc.integer({ min: 0, max: 9 }),
    },
    { requiredKeys: ['type'] },
  ),
  fc.constant<InputSchema>({ type: 'boolean' }),
  fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }).map((all) => ({
    type: 'string',
    enum: all,
  })),
  fc.constantFrom<InputSchema>({}, { type: 'object' }, { type: 'array' }),
)
// JSON has no -0: what is typed and sent is 0.
const values = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)))

const ajv = new Ajv2020({ strict: false })

test('the form refuses exactly what another checker refuses', () =>
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const check = createCheck({ properties: { a: schema } })
      assert.equal(check({ a: value }).a === undefined, ajv.validate({ ...schema }, value))
    }),
    { numRuns: rounds(300) },
  ))

test('a value that fits comes back from its field as it was', () =>
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      fc.pre(ajv.validate({ ...schema }, value) === true)
      assert.deepEqual(readEntry(schema, toEntry(schema, value)), { value })
    }),
    { numRuns: rounds(300) },
  ))

test('values of an older schema are left out, the others are filled in', () => {
  const schema = {
    properties: {
      topic: { type: 'string', maxLength: 5 },
      count: { type: 'integer' },
      picture: { type: 'string', 'x-port-type': 'image', format: 'uri', pattern: '^https?:' },
    },
    required: ['topic', 'count'],
  }
  const check = createCheck(schema)
  const before = {
    topic: 'too long a topic',
    count: 3,
    picture: 'https://a.example/b.png',
    gone: 1,
  }
  assert.deepEqual(toEntries(schema, check, before), {
    count: '3',
    picture: 'https://a.example/b.png',
  })
  assert.deepEqual(missingInputs(schema, { count: 3 }), ['topic'])
})

test('a value that cannot be parsed is reported at its field and not sent', () => {
  const schema = { properties: { n: { type: 'number' }, j: {}, t: { type: 'string' } } }
  const { inputs, problems } = readEntries(schema, { n: 'seven', j: '{"a":', t: 'x' })
  assert.deepEqual(inputs, { t: 'x' })
  assert.deepEqual(Object.keys(problems), ['n', 'j'])
  assert.deepEqual(readEntries(schema, { n: ' ', j: '' }), { inputs: {}, problems: {} })
})

test('a problem inside JSON says where it is', () => {
  const record = { type: 'object', properties: { id: { type: 'string' } } }
  const check = createCheck({ properties: { record } })
  assert.match(check({ record: { id: 7 } }).record ?? '', /^id: /)
})

test('each kind of input has its control', () => {
  assert.equal(inputKind({ type: 'string', 'x-port-type': 'video' }), 'video')
  assert.equal(inputKind({ type: 'string', enum: ['a'] }), 'choice')
  assert.equal(inputKind({ enum: ['a', 1] }), 'json')
  assert.equal(inputKind({ type: 'integer' }), 'number')
})

test('the key stays while the content does, and changes with it', () => {
  let made = 0
  const keyFor = createSubmissionKey(() => `key ${++made}`)
  assert.equal(keyFor({ inputs: { a: 1 } }), 'key 1')
  assert.equal(keyFor({ inputs: { a: 1 } }), 'key 1')
  assert.equal(keyFor({ inputs: { a: 2 } }), 'key 2')
})

test('the fields under More are parsed, or reported as wrong', () => {
  assert.deepEqual(readMore(noMore), { options: {}, problems: {} })
  assert.deepEqual(
    readMore({
      ...noMore,
      ...{ maxCost: '0.5', callbackUrl: 'https://a.example/b', metadata: '{"order":7}' },
    }),
    {
      options: { maxCost: 0.5, callbackUrl: 'https://a.example/b', metadata: { order: 7 } },
      problems: {},
    },
  )
  const bad = { maxCost: '-1', callbackUrl: 'ftp://x', metadata: '[1]' }
  const { problems } = readMore({ ...noMore, ...bad })
  assert.deepEqual(Object.keys(problems), ['maxCost', 'callbackUrl', 'metadata'])
})

test('a deadline in the run form means the economy lane, and must be ahead', () => {
  const entries = { ...noMore, deadline: '2026-11-20T09:00' }
  const atMs = Date.parse('2026-11-20T09:00')
  assert.deepEqual(readMore(entries, atMs - 1).options, {
    lane: 'economy',
    deadlineAt: new Date(atMs).toISOString(),
  })
  assert.deepEqual(Object.keys(readMore(entries, atMs).problems), ['deadline'])
})
