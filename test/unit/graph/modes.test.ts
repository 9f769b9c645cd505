import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimatePlan } from '#graph/estimates/estimate.ts'
import { inputSchemaOf, outputSchemaOf } from '#graph/plan/schema.ts'
import { withTargets } from '#graph/plan/targets.ts'
import { graph, models, node, validate, wire } from './graphs.ts'

const tools = {
  countTokens: async (text: string) => text.length,
  outputHistory: async () => null,
  evaluate: async () => ({ value: null }),
}

async function planOf(data: unknown) {
  const { plan, validation } = await validate(data)
  assert.ok(plan, JSON.stringify(validation.errors))
  const { nodeEstimates } = await estimatePlan(plan, {}, { models, called: new Map(), tools })
  return {
    plan,
    warnings: validation.warnings.map(({ code, nodeId }) => `${code} ${nodeId ?? ''}`),
    unsupported: validation.unsupportedNodes,
    required: {
      inputs: inputSchemaOf(plan).required,
      outputs: outputSchemaOf(plan).required,
    },
    paid: nodeEstimates.flatMap(({ nodeId, calls }) => (calls > 0 ? [nodeId] : [])),
    from: (id: string) =>
      plan.nodes
        .find((one) => one.id === id)
        ?.wires.map(({ source, port }) => `${plan.nodes[source]?.id} to ${port}`),
  }
}

/** topic -> draft -> polish -> out */
const chain = (modes: Record<string, string> = {}, model = 'text') => {
  const at = (id: string, type: string, data: Record<string, unknown> = {}) => ({
    ...node(id, type, data),
    ...(modes[id] ? { mode: modes[id] } : {}),
  })
  return graph(
    [
      at('topic', 'input.text', { required: true }),
      at('draft', 'text.generate', { model: 'text' }),
      at('polish', 'text.generate', { model }),
      at('out', 'output'),
    ],
    [wire('topic', 'draft.prompt'), wire('draft', 'polish.prompt'), wire('polish', 'out')],
  )
}

test('a bypassed node passes on its input of the same type, costs nothing, and leaves no warning', async () => {
  const { from, paid, required, warnings } = await planOf(chain({ polish: 'bypass' }))
  assert.deepEqual(from('out'), ['draft to value'])
  assert.deepEqual(paid, ['draft'])
  assert.deepEqual(required, { inputs: ['topic'], outputs: ['out'] })
  assert.deepEqual(warnings, [])
  const both = await planOf(chain({ draft: 'bypass', polish: 'bypass' }))
  assert.deepEqual(both.from('out'), ['topic to value'])
  assert.deepEqual(both.paid, [])
})

test('a muted node has no result, so that what needs it may be missing', async () => {
  const { paid, required, warnings } = await planOf(chain({ draft: 'mute' }))
  assert.deepEqual(paid, [])
  assert.deepEqual(required, { inputs: ['topic'], outputs: [] })
  assert.deepEqual(warnings, [])
})

test('a muted input is not required, and still accepted', async () => {
  const { required, plan } = await planOf(chain({ topic: 'mute' }))
  assert.deepEqual(required.inputs, [])
  assert.ok('topic' in (inputSchemaOf(plan).properties as object))
})

test('a node that does not run may have a model that cannot run here', async () => {
  assert.equal((await planOf(chain({}, 'gone'))).unsupported.length, 1)
  assert.deepEqual((await planOf(chain({ polish: 'mute' }, 'gone'))).unsupported, [])
})

test('a bypassed node without an input of the type of its output says that what follows is skipped', async () => {
  const data = graph(
    [
      node('topic', 'input.text'),
      { ...node('paint', 'image.generate', { model: 'image' }), mode: 'bypass' },
      node('out', 'output'),
    ],
    [wire('topic', 'paint.prompt'), wire('paint', 'out')],
  )
  const { warnings, required } = await planOf(data)
  assert.ok(warnings.includes('UNREACHABLE_NODE paint'))
  assert.deepEqual(required.outputs, [])
})

test('without an output node, the result before a bypassed node is the output', async () => {
  const { nodes, connections } = chain({ polish: 'bypass' })
  const { plan } = await planOf(graph(nodes.slice(0, 3), connections.slice(0, 2)))
  assert.deepEqual(
    plan.results.map(({ key }) => key),
    ['draft'],
  )
})

test('any other value of mode means nothing, as before', async () => {
  const { paid, plan } = await planOf(chain({ draft: 'never', polish: '2' }))
  assert.deepEqual(paid, ['draft', 'polish'])
  assert.equal(plan.leftOut, undefined)
})

test('a run of some nodes leaves out those that are muted too', async () => {
  const { plan } = await planOf(chain({ draft: 'mute' }))
  assert.deepEqual([...(withTargets(plan, ['polish']).leftOut ?? [])], [1, 3])
})
