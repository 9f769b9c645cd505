import assert from 'node:assert/strict'
import { test } from 'node:test'
import { palette } from '#graph/types/palette.ts'
import {
  insertOnWire,
  judge,
  outputFor,
  refusals,
  typesThatFit,
} from '../../../console/src/canvas/connect-rules.ts'
import { findTypes } from '../../../console/src/canvas/find-types.ts'
import type { Graph } from '../../../console/src/canvas/graph.ts'
import {
  createPortsOf,
  type NodeTypeInfo,
  type NodeTypes,
  type Ports,
} from '../../../console/src/canvas/node-types.ts'

const info = (type: string, ports: Ports | null): NodeTypeInfo => ({
  type,
  label: type,
  group: 'shape',
  icon: 'box',
  help: '',
  config: {},
  initial: {},
  ports,
  portsDependOn: [],
  modelKinds: [],
  browserOnly: false,
  branches: false,
})
const types: NodeTypes = {
  portTypes: ['text', 'number', 'image'],
  accepts: { text: ['text', 'number'], number: ['number'], image: ['image'] },
  items: [
    info('speak', { inputs: [], outputs: [{ name: 'text', type: 'text' }] }),
    info('count', { inputs: [], outputs: [{ name: 'number', type: 'number' }] }),
    info('both', {
      inputs: [
        { name: 'text', type: 'text' },
        { name: 'image', type: 'image' },
        { name: 'many', type: 'text', multi: true },
      ],
      outputs: [{ name: 'text', type: 'text' }],
    }),
    info('free', null),
  ],
}
const node = (id: string, type: string) => ({ id, type, data: {} })
const graph: Graph = {
  nodes: [node('s', 'speak'), node('n', 'count'), node('x', 'both'), node('y', 'both')],
  connections: [
    { source: 's', target: 'x' },
    { source: 'x', sourceHandle: 'text', target: 'y', targetHandle: 'text' },
  ],
}
const env = { types, portsOf: createPortsOf(types, {}) }
const verdict = (source: string, from: string, target: string, to: string) =>
  judge(graph, { source, sourceHandle: from, target, targetHandle: to }, env)

test('only what the server accepts can be connected, and the refusal names both types', () => {
  const refused = verdict('s', 'text', 'x', 'image')
  assert.match(refused.ok ? '' : refused.why, /text cannot go into image/)
  assert.deepEqual(verdict('n', 'number', 'x', 'many'), { ok: true, replaces: [] })
})

test('of every two types of the server, the one goes into the other or the refusal names both', () => {
  const { portTypes, accepts } = palette
  const all: NodeTypes = {
    portTypes,
    accepts,
    items: portTypes.flatMap((type) => [
      info(`gives ${type}`, { inputs: [], outputs: [{ name: 'out', type }] }),
      info(`takes ${type}`, { inputs: [{ name: 'in', type }], outputs: [] }),
    ]),
  }
  const nodes = all.items.map(({ type }) => node(type, type))
  const env = { types: all, portsOf: createPortsOf(all, {}) }
  let refusedPairs = 0
  for (const from of portTypes) {
    for (const to of portTypes) {
      const [source, target] = [`gives ${from}`, `takes ${to}`]
      const wire = { source, sourceHandle: 'out', target, targetHandle: 'in' }
      const judged = judge({ nodes, connections: [] }, wire, env)
      assert.equal(judged.ok, accepts[to].includes(from), `${from} into ${to}`)
      if (judged.ok) continue
      refusedPairs += 1
      assert.ok(judged.why.startsWith(`${from} cannot go into ${to}.`), judged.why)
    }
  }
  assert.ok(refusedPairs > 20)
})

test('a port for one wire drops the one it has, even if that wire names no port', () => {
  assert.deepEqual(verdict('n', 'number', 'x', 'text'), { ok: true, replaces: ['s.>x.'] })
})

test('a duplicate wire and a cycle are refused', () => {
  const twice = verdict('s', 'text', 'x', 'text')
  assert.match(twice.ok ? '' : twice.why, /already connected/)
  const circle = verdict('y', 'text', 'x', 'many')
  assert.match(circle.ok ? '' : circle.why, /would create a cycle/)
  const itself = verdict('x', 'text', 'x', 'many')
  assert.match(itself.ok ? '' : itself.why, /itself/)
})

test('a node is found by what others call it, before those that only mention the word', () => {
  const first = (search: string) =>
    findTypes(palette.items as unknown as NodeTypeInfo[], search)[0]?.label
  for (const [words, label] of [
    ['if else', 'Condition'],
    ['switch', 'Condition'],
    ['javascript', 'Transform'],
    ['llm', 'Generate text'],
    ['claude', 'Generate text'],
    ['loop', 'For each'],
    ['while', 'Repeat'],
    ['api', 'HTTP request'],
    ['human', 'Approval'],
    ['cron', 'Delay'],
    ['sub', 'Call workflow'],
  ] as const)
    assert.equal(first(words), label, words)
  assert.equal(first('if'), 'Condition')
})

test('a node that is added behind another is fed from the output that suits it', () => {
  const all = palette as unknown as NodeTypes
  const [portsOf, one] = [createPortsOf(all, {}), (type: string) => node(type, type)]
  const fed = (from: string, type: string, connections: Graph['connections'] = []) => {
    const added = all.items.find((item) => item.type === type)
    assert.ok(added)
    const end = outputFor({ nodes: [one(from)], connections }, one(from), added, {
      types: all,
      portsOf,
    })
    return end?.port ?? null
  }
  assert.equal(fed('input.text', 'text.generate'), 'value')
  assert.equal(fed('input.image', 'text.generate'), 'value')
  assert.equal(fed('image.generate', 'output'), 'image')
  assert.equal(fed('json.transform', 'flow.map'), 'output')
  // Nobody means the picture as a text, nor a text as the variables of a request.
  assert.equal(fed('input.video', 'image.generate'), null)
  assert.equal(fed('input.text', 'http.request'), null)
  assert.equal(fed('output', 'output'), null)
  const used = { source: 'flow.condition', target: 'x' }
  assert.equal(fed('flow.condition', 'output'), 'true')
  assert.equal(fed('flow.condition', 'output', [{ ...used, sourceHandle: 'true' }]), 'false')
  assert.equal(
    fed('image.generate', 'output', [{ source: 'image.generate', target: 'x' }]),
    'image',
  )
})

test('a loose wire is offered the types that fit, with the port that fits best', () => {
  const offers = typesThatFit(types, { side: 'source', port: { name: 'o', type: 'image' } })
  assert.deepEqual(
    offers.map(({ info: { type }, port }) => [type, port?.name ?? null]),
    [
      ['both', 'image'],
      ['free', null],
    ],
  )
  const sources = typesThatFit(types, { side: 'target', port: { name: 'i', type: 'number' } })
  assert.deepEqual(
    sources.map((offer) => offer.info.type),
    ['count'],
  )
})

test('while a wire is dragged every port says whether it would take it', () => {
  const all = refusals(graph, { nodeId: 's', side: 'source', port: 'text' }, env)
  assert.match(all.get('x inputs image') ?? '', /cannot go into/)
  assert.equal(all.get('y inputs text'), null)
  assert.match(all.get('y outputs text') ?? '', /input/)
  const back = refusals(graph, { nodeId: 'x', side: 'target', port: 'many' }, env)
  assert.equal(back.get('s outputs text'), null)
  assert.match(back.get('y outputs text') ?? '', /would create a cycle/)
})

test('a node dropped on a wire replaces it if both ends fit', () => {
  const wire = graph.connections[1]
  assert.ok(wire)
  const added = { ...graph, nodes: [...graph.nodes, node('new', 'both'), node('n2', 'count')] }
  const inserted = insertOnWire(added, wire, 'new', env)
  assert.deepEqual(inserted?.connections.slice(1), [
    { source: 'x', sourceHandle: 'text', target: 'new', targetHandle: 'text' },
    { source: 'new', sourceHandle: 'text', target: 'y', targetHandle: 'text' },
  ])
  assert.equal(insertOnWire(added, wire, 'n2', env), null)
})
