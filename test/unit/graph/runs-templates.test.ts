import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import type { Graph } from '#console/canvas/graph.ts'
import { noPorts, type Ports } from '#console/canvas/node-types.ts'
import { roomFor } from '#console/canvas/run/room.ts'
import type { ModelFacts } from '#graph/node/models.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import { inputSchemaOf, outputSchemaOf } from '#graph/plan/schema.ts'
import { checkInputs } from '#graph/validation/run-inputs.ts'
import { demoModels } from '#providers/demo/models.ts'
import { generateText } from '#providers/demo/text/generate.ts'
import { createEvaluator } from '../../../src/graph/expressions/evaluator.ts'
import { createSchemaChecker } from '../../../src/graph/expressions/schema-checker.ts'
import { listTemplates } from '../../../src/graph/templates/list-templates.ts'
import { validate } from './graphs.ts'
import { media, runPlan } from './run-plan.ts'

const evaluator = createEvaluator({ patienceMs: 120_000 })
const checker = createSchemaChecker({ patienceMs: 120_000 })
after(() => {
  evaluator.close()
  checker.close()
})

const models = (id: string): ModelFacts | undefined => {
  const found = demoModels.find((model) => model.id === id)
  return found && { ...found, availability: 'available' }
}

const check = (data: unknown) =>
  validate(data, {
    models,
    checkExpressions: (texts) => evaluator.checkExpressions('account', texts),
    checkSchemas: (checks) => checker.checkSchemas('account', checks),
    findCredentials: async () => [],
  })

const compile = (schema: object) => {
  const ajv = new Ajv2020({ strict: true })
  ajvFormats.default(ajv)
  ajv.addVocabulary(['x-port-type'])
  return ajv.compile(schema)
}

const services = {
  wait: async () => ({
    status: 'ANSWERED' as const,
    atMs: 0,
    answer: { decision: 'approve' as const },
  }),
  generateText: async (call: {
    model: string
    prompt: string
    system?: string
    responseFormat: 'text' | 'json'
  }) => {
    const { text } = await generateText({
      model: call.model,
      messages: [{ role: 'user', content: call.prompt }],
      ...(call.system ? { systemPrompt: call.system } : {}),
      responseFormat: call.responseFormat,
    })
    return { text, finish: 'stop' as const }
  },
  createMediaTask: async ({ kind }: { kind: 'IMAGE' | 'VIDEO' }) => [
    media(`https://media.test/${kind.toLowerCase()}`, kind === 'IMAGE' ? 'image/png' : 'video/mp4'),
  ],
  evaluateExpression: async (expression: string, input: unknown) => {
    const reply = await evaluator.evaluate({ owner: 'a', expression, input, nowMs: 0, seed: '' })
    if ('value' in reply) return reply.value
    throw new NodeFailure('EXPRESSION_ERROR', String(Object.values(reply)))
  },
}

test('there are at least eight templates, each with its own id, name and description', () => {
  const templates = listTemplates()
  assert.ok(templates.length >= 8)
  assert.equal(new Set(templates.map(({ id }) => id)).size, templates.length)
  for (const { name, description, icon } of templates) {
    assert.ok(name.length > 3 && description.length > 30 && icon.length > 2, name)
  }
})

test('the mapping of a template gives its sample inputs from what the sender sends', async () => {
  const hooks = listTemplates().flatMap(({ id, sampleInputs, trigger }) =>
    trigger?.kind === 'WEBHOOK' ? [{ id, sampleInputs, ...trigger }] : [],
  )
  assert.deepEqual(
    hooks.map(({ id }) => id),
    ['github-issue-summary', 'slack-question'],
  )
  for (const { mapping, sample, sampleInputs } of hooks) {
    assert.deepEqual(await services.evaluateExpression(mapping, { ...sample, query: {} }), {
      ...sampleInputs,
    })
  }
})

test('in every template each result has room below its node', async () => {
  for (const { name, data } of listTemplates()) {
    const { ports } = await check(data)
    const graph = data as unknown as Graph
    const portsOf = ({ id }: { id: string }) => (ports.get(id) as Ports | undefined) ?? noPorts
    // As high as pictures need it.
    const heights = new Map(graph.nodes.map(({ id }) => [id, 132]))
    const without = graph.nodes.filter(({ id }) => !roomFor(graph, portsOf, heights).has(id))
    assert.deepEqual(
      without.map(({ id }) => id),
      [],
      name,
    )
  }
})

for (const template of listTemplates()) {
  test(`"${template.name}" is valid without warnings and gives what its schema says`, async () => {
    const { plan, validation } = await check(template.data)
    assert.deepEqual(validation.errors, [])
    assert.deepEqual(validation.warnings, [])
    assert.ok(plan)
    assert.ok(compile(inputSchemaOf(plan))(template.sampleInputs))
    const issues = await checkInputs(plan, template.sampleInputs, {
      checkSchemas: (checks) => checker.checkSchemas('account', checks),
      missing: 'refused',
    })
    assert.deepEqual(issues, [])
    const outputs = await runPlan(plan, template.sampleInputs, services)
    const accepts = compile(outputSchemaOf(plan))
    assert.ok(accepts(outputs), JSON.stringify({ outputs, errors: accepts.errors }))
    for (const [key, value] of Object.entries(outputs)) {
      assert.ok(
        value !== null && JSON.stringify(value).length > 5,
        `${key}: ${JSON.stringify(value)}`,
      )
    }
  })
}
