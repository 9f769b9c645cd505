import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import fc from 'fast-check'
import { estimatePlan } from '#graph/estimates/estimate.ts'
import { inputSchemaOf, outputSchemaOf } from '#graph/plan/schema.ts'
import { checkInputs } from '#graph/validation/run-inputs.ts'
import { createSchemaChecker } from '../../../src/graph/expressions/schema-checker.ts'
import { rounds } from '../../support/rounds.ts'
import { brokenGraph, garbage, validGraph } from './arbitrary-graphs.ts'
import { models, validate } from './graphs.ts'

const checker = createSchemaChecker({ patienceMs: 120_000 })
after(() => checker.close())
const checkSchemas = (checks: readonly { schema: object; value?: unknown }[]) =>
  checker.checkSchemas('account', checks)

const strictAjv = () => {
  const ajv = new Ajv2020({ strict: true, allErrors: false })
  ajvFormats.default(ajv)
  ajv.addVocabulary(['x-port-type'])
  return ajv
}

const planOf = async (data: unknown) => {
  const { plan, validation } = await validate(data)
  assert.ok(plan, JSON.stringify(validation.errors[0]))
  return plan
}

test('every graph built by the rules is accepted', async () => {
  await fc.assert(
    fc.asyncProperty(validGraph, async (graph) => {
      const { validation } = await validate(graph)
      assert.deepEqual(validation.errors, [])
      assert.ok(validation.valid)
      assert.equal(validation.nodeCount, graph.nodes.length)
    }),
    { numRuns: rounds(300) },
  )
})

test('no broken graph is accepted', async () => {
  await fc.assert(
    fc.asyncProperty(brokenGraph, async ({ how, graph }) => {
      const { plan, validation } = await validate(graph)
      assert.equal(validation.valid, false, how)
      assert.equal(plan, null)
    }),
    { numRuns: rounds(300) },
  )
})

test('any JSON is answered: with problems that have a code, a pointer and a sentence', async () => {
  await fc.assert(
    fc.asyncProperty(garbage, async (data) => {
      const { validation } = await validate(data)
      assert.equal(validation.valid, validation.errors.length === 0)
      assert.ok(validation.errors.length <= 100)
      for (const { code, path, message } of validation.errors) {
        assert.match(code, /^[A-Z_]+$/)
        assert.match(path, /^(\/|$)/)
        assert.match(message, /\.$/)
      }
    }),
    { numRuns: rounds(500) },
  )
})

test('strict ajv accepts every schema, and agrees with the check of a run on every input', async () => {
  const anyInputs = fc.dictionary(
    fc.constantFrom('in0', 'in1', 'in2', 'in3', 'other'),
    fc.oneof(
      fc.constantFrom<unknown>(
        'red',
        'abcde',
        3,
        3.5,
        -9,
        true,
        'https://example.com/a.png',
        { size: 2 },
        { size: 0 },
        null,
      ),
      fc.constantFrom<unknown>(
        'ftp://a/b',
        'http://',
        'https://a b',
        'data:image/png;base64,AA==',
        'data:text/plain,x',
        'http://a:99999/',
        'HTTPS://example.com',
        'a',
      ),
      fc.webUrl(),
      fc.jsonValue(),
    ),
  )
  await fc.assert(
    fc.asyncProperty(validGraph, anyInputs, async (graph, inputs) => {
      const plan = await planOf(graph)
      const accepts = strictAjv().compile(inputSchemaOf(plan))
      strictAjv().compile(outputSchemaOf(plan))
      const issues = await checkInputs(plan, inputs, { checkSchemas, missing: 'refused' })
      assert.equal(issues.length === 0, accepts(inputs), JSON.stringify({ issues, inputs }))
    }),
    { numRuns: rounds(150) },
  )
})

test('inputs made from the schema are accepted, and refused once a member is wrong', async () => {
  const sample = (schema: Record<string, unknown>): unknown => {
    if (Array.isArray(schema.enum)) return schema.enum[0]
    switch (schema.type) {
      case 'string':
        return schema.format === 'uri'
          ? 'https://example.com/a.png'
          : 'x'.repeat(Number(schema.minLength ?? 1))
      case 'boolean':
        return true
      case 'object':
        return { size: 1 }
      default:
        return schema.minimum ?? 0
    }
  }
  await fc.assert(
    fc.asyncProperty(validGraph, fc.nat(), async (graph, n) => {
      const plan = await planOf(graph)
      const properties = Object.entries(
        inputSchemaOf(plan).properties as Record<string, Record<string, unknown>>,
      )
      const inputs = Object.fromEntries(properties.map(([id, schema]) => [id, sample(schema)]))
      const run = (given: Record<string, unknown>) =>
        checkInputs(plan, given, { checkSchemas, missing: 'refused' })
      assert.deepEqual(await run(inputs), [])
      const [id = ''] = properties[n % properties.length] ?? []
      assert.notDeepEqual(await run({ ...inputs, [id]: [['no input takes this']] }), [])
      assert.notDeepEqual(await run({ ...inputs, surplus: 1 }), [])
    }),
    { numRuns: rounds(100) },
  )
})

test('an estimate of any valid graph has a spread in order and sums up its nodes', async () => {
  const tools = {
    countTokens: async (text: string) => Math.ceil(text.length / 4),
    outputHistory: async () => null,
    evaluate: async (_: string, input: unknown) => ({ value: input !== null }),
  }
  await fc.assert(
    fc.asyncProperty(validGraph, async (graph) => {
      const plan = await planOf(graph)
      const estimate = await estimatePlan(plan, {}, { models, called: new Map(), tools })
      const spreads = [estimate, ...estimate.nodeEstimates.filter((e) => e.estimatedCost !== null)]
      for (const { lowCost, estimatedCost, highCost } of spreads) {
        assert.ok(Number(lowCost) <= Number(estimatedCost))
        assert.ok(Number(estimatedCost) <= Number(highCost))
      }
      const sum = estimate.nodeEstimates.reduce((total, e) => total + Number(e.estimatedCost), 0)
      assert.ok(Math.abs(sum - estimate.estimatedCost) < 1e-9)
      assert.equal(
        estimate.exact,
        estimate.nodeEstimates.every((e) => e.exact),
      )
    }),
    { numRuns: rounds(150) },
  )
})
