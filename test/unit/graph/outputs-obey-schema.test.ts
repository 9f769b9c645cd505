import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import fc from 'fast-check'
import { createNodeSlots, executePlan } from '#engine/runs/execute-plan.ts'
import { createRunMemory, limitsOfProcess } from '#engine/runs/run-memory.ts'
import { compilePlan } from '#engine/runs/run-plan.ts'
import type { Media, NodeExecution } from '#graph/node/node-type.ts'
import { asStored } from '#graph/node/port-values.ts'
import { outputSchemaOf } from '#graph/plan/schema.ts'
import { findNodeType } from '#graph/types/table.ts'
import { validGraph } from './arbitrary-graphs.ts'
import { models, validate } from './graphs.ts'
import { wakeful } from './run-plan.ts'

const ajv = new Ajv2020({ strict: true })
ajvFormats.default(ajv)
ajv.addVocabulary(['x-port-type'])

const stored = (kind: 'image' | 'video'): Media =>
  asStored({
    url: 'https://atelier.test/media/1',
    mimeType: kind === 'image' ? 'image/png' : 'video/mp4',
    sizeBytes: 7,
  })

/** Results that an expression may have: right, wrong, and disguised as something else. */
const claims: readonly unknown[] = [
  null,
  'a text',
  7,
  true,
  ['one', 2],
  { url: 'javascript:alert(1)', mimeType: 'image/png' },
  { url: 'https://example.com/a.png', mimeType: 'image/png', sizeBytes: 'many', more: 1 },
  'https://example.com/b.mp4',
  { ...stored('video') },
]

/** All outside calls succeed; the results of expressions are random. */
function execution(claim: (expression: string, input: unknown) => unknown): NodeExecution {
  const context: NodeExecution = {
    throwIfEnding: () => {},
    generateText: async ({ responseFormat }) => ({
      text: responseFormat === 'json' ? '{"a":1}' : 'text',
      finish: 'stop',
    }),
    createMediaTask: async ({ kind }) => [stored(kind === 'IMAGE' ? 'image' : 'video')],
    httpRequest: async () => ({ status: 200, headers: {}, body: 'x' }),
    evaluateExpression: async (expression, input) => claim(expression, input),
    callWorkflow: async () => ({}),
    importMedia: async (_url, kind) => stored(kind),
    forItem: async (_item, execute) => execute(context),
    passedBefore: () => undefined,
    notePassed: () => {},
    noteItems: () => {},
    wait: async () => ({ status: 'PASSED', atMs: 0 }),
    hold: () => undefined,
    dropHeld: () => {},
    nodeType: findNodeType,
    calls: () => undefined,
  }
  return context
}

const given = {
  'input.text': 'red',
  'input.number': 0,
  'input.boolean': true,
  'input.image': 'https://example.com/a.png',
  'input.json': { size: 1 },
} as Record<string, unknown>

test('the outputs of a completed run match its outputSchema', async () => {
  let completed = 0
  await fc.assert(
    fc.asyncProperty(validGraph, fc.infiniteStream(fc.nat()), async (graph, chance) => {
      const { plan, validation } = await validate(graph)
      assert.ok(plan, JSON.stringify(validation.errors[0]))
      const next = () => chance.next().value as number
      const inputs: Record<string, unknown> = {}
      for (const { id, typeName, config } of plan.nodes) {
        if (!(typeName in given)) continue
        const isLeftOut = config.required === false && next() % 2 === 0
        if (!isLeftOut) inputs[id] = given[typeName]
      }
      const claim = (expression: string, input: unknown) => {
        if (expression === '$exists($)') return next() % 2 === 0
        // A result from another process is a copy.
        const value = expression === '$' ? input : claims[next() % claims.length]
        return structuredClone(value)
      }
      const end = await executePlan(compilePlan(plan, models, new Map()), inputs, {
        slots: createNodeSlots(),
        held: createRunMemory(limitsOfProcess()).open(inputs),
        observer: {
          mayStart: () => {},
          started: () => {},
          completed: () => {},
          skipped: () => {},
          failed: () => {},
        },
        execution: () => execution(claim),
        ...wakeful(),
      })
      if (end.failures.length > 0) return
      completed++
      const outputs = JSON.parse(JSON.stringify(end.outputs))
      const schema = outputSchemaOf(plan)
      assert.ok(ajv.validate(schema, outputs), JSON.stringify({ outputs, errors: ajv.errors }))
      ajv.removeSchema(schema)
    }),
    { numRuns: 400 },
  )
  assert.ok(completed > 100, `${completed} runs were completed`)
})
