import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deadResults } from '#graph/validation/unsupported.ts'
import { codesOf, graph, node, validate, wire } from './graphs.ts'

/** A workflow that takes `name` and gives `greeting`. */
const greeter = graph(
  [
    node('name', 'input.text'),
    node('title', 'input.text', { required: false }),
    node('say', 'text.template', { template: 'Hello {{name}}' }),
    node('greeting', 'output'),
  ],
  [wire('name', 'say.name'), wire('say', 'greeting')],
)

const caller = (workflowId: unknown, wires: unknown[] = [wire('who', 'call.name')]) =>
  graph(
    [
      node('who', 'input.text'),
      node('call', 'workflow.call', { workflowId }),
      node('out', 'output'),
    ],
    [...wires, wire('call', 'out')],
  )

/** A workflow that only calls others. */
const calling = (...ids: number[]) =>
  graph(ids.map((workflowId, i) => node(`c${i}`, 'workflow.call', { workflowId })))

test('the inputs and outputs of the target are the ports of the call', async () => {
  assert.deepEqual(await codesOf(caller(7), { stored: { 7: greeter } }), [])
  const { validation } = await validate(caller(7, [wire('who', 'call.nobody')]), {
    stored: { 7: greeter },
  })
  assert.deepEqual(
    validation.errors.map(({ code }) => code),
    ['UNKNOWN_PORT'],
  )
  assert.match(String(validation.errors[0]?.message), /name, title/)
})

test('a required input of the target may be filled in data, an optional one left open', async () => {
  const data = graph([node('call', 'workflow.call', { workflowId: 7, name: 'Ana' })])
  assert.deepEqual(await codesOf(data, { stored: { 7: greeter } }), [])
})

test('a missing target is SUBWORKFLOW_NOT_FOUND, also in a map', async () => {
  const { validation } = await validate(
    graph(
      [
        node('l', 'input.json'),
        node('m', 'flow.map', { apply: { type: 'workflow.call', data: { workflowId: 9 } } }),
        node('c', 'workflow.call', { workflowId: 8 }),
      ],
      [wire('l', 'm')],
    ),
  )
  assert.deepEqual(
    validation.errors.map(({ code, path, nodeId }) => [code, path, nodeId]),
    [
      ['SUBWORKFLOW_NOT_FOUND', '/nodes/1/data/apply/data/workflowId', 'm'],
      ['SUBWORKFLOW_NOT_FOUND', '/nodes/2/data/workflowId', 'c'],
    ],
  )
})

test('a target that has become invalid is reported with its first problem', async () => {
  const { validation } = await validate(calling(1), { stored: { 1: calling(2) } })
  assert.equal(validation.errors[0]?.code, 'SUBWORKFLOW_NOT_FOUND')
  assert.match(String(validation.errors[0]?.message), /workflow 2/)
  const changed = caller(2, [wire('who', 'call.gone')])
  assert.deepEqual(await codesOf(calling(1), { stored: { 1: changed, 2: greeter } }), [
    'SUBWORKFLOW_NOT_FOUND',
  ])
})

test('a workflow that calls itself is SUBWORKFLOW_RECURSION, with the path', async () => {
  assert.deepEqual(await codesOf(calling(5), { selfId: 5, stored: { 5: calling() } }), [
    'SUBWORKFLOW_RECURSION',
  ])
  const { validation } = await validate(calling(2), {
    selfId: 1,
    stored: { 1: calling(2), 2: calling(3), 3: calling(1) },
  })
  assert.deepEqual(
    validation.errors.map(({ code }) => code),
    ['SUBWORKFLOW_RECURSION'],
  )
  assert.match(String(validation.errors[0]?.message), /1 → 2 → 3 → 1/)
})

test('a cycle among other workflows is found although this graph has no id yet', async () => {
  assert.deepEqual(await codesOf(calling(2), { stored: { 2: calling(3), 3: calling(2) } }), [
    'SUBWORKFLOW_RECURSION',
  ])
})

test('calls may be five deep, not six', async () => {
  const chain = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, i) => [i + 1, i + 1 < length ? calling(i + 2) : greeterAlone]),
    )
  const greeterAlone = graph([node('t', 'text.template', { template: 'x' })])
  assert.deepEqual(await codesOf(calling(1), { stored: chain(5) }), [])
  assert.deepEqual(await codesOf(calling(1), { stored: chain(6) }), ['SUBWORKFLOW_RECURSION'])
  assert.deepEqual(await codesOf(calling(1), { stored: chain(9) }), ['SUBWORKFLOW_RECURSION'])
})

test('a workflow that is called by many paths is loaded once', async () => {
  const asked: number[] = []
  const stored: Record<number, unknown> = {
    1: calling(3),
    2: calling(3),
    3: graph([node('t', 'text.template', { template: 'x' })]),
  }
  const { validation } = await validate(calling(1, 2, 3), {
    load: async (ids) => {
      asked.push(...ids)
      return ids.map((workflowId) => ({
        workflowId,
        version: 1,
        data: stored[workflowId],
        chars: 1,
      }))
    },
  })
  assert.ok(validation.valid)
  assert.deepEqual(asked.sort(), [1, 2, 3])
})

test('a graph that would load too many workflows is refused before they are loaded', async () => {
  let loaded = 0
  const ids = Array.from({ length: 51 }, (_, i) => i + 1)
  const { validation } = await validate(calling(...ids), {
    load: async (asked) => {
      loaded += asked.length
      return []
    },
  })
  assert.equal(loaded, 0)
  assert.equal(validation.errors[0]?.code, 'INVALID_CONFIG')
  assert.match(String(validation.errors[0]?.message), /at most 50/)
})

test('workflows that are too large together are not loaded', async () => {
  const limits: number[] = []
  const { validation } = await validate(calling(1), {
    load: async ([id = 0], { maxChars }) => {
      limits.push(maxChars)
      return id === 1 ? [{ workflowId: 1, version: 1, data: calling(2), chars: 1000 }] : null
    },
  })
  assert.equal(validation.errors[0]?.code, 'INVALID_CONFIG')
  assert.match(String(validation.errors[0]?.message), /too large together/)
  assert.equal(Number(limits[0]) - Number(limits[1]), 1000)
})

test('a target whose output needs an unsupported node is SUBWORKFLOW_UNSUPPORTED', async () => {
  const target = graph([node('c', 'browser.crop'), node('o', 'output')], [wire('c', 'o')])
  const { validation, plan } = await validate(calling(4), { stored: { 4: target } })
  assert.ok(validation.valid && plan)
  assert.equal(validation.unsupportedNodes[0]?.reason, 'SUBWORKFLOW_UNSUPPORTED')
  assert.deepEqual(deadResults(plan, validation.unsupportedNodes), ['c0'])
})

test('an output that a merge can still reach does not need the unsupported node', async () => {
  const data = graph(
    [
      node('in', 'input.text'),
      node('crop', 'browser.crop'),
      node('m', 'flow.merge'),
      node('kept', 'output'),
      node('lost', 'output'),
    ],
    [wire('in', 'm'), wire('crop', 'm'), wire('m', 'kept'), wire('crop', 'lost')],
  )
  const { plan, validation } = await validate(data)
  assert.ok(plan)
  assert.deepEqual(deadResults(plan, validation.unsupportedNodes), ['lost'])
})
