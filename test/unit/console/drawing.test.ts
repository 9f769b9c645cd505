import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeBeside, withRoomFor } from '../../../console/src/canvas/arrange.ts'
import { alongWires, readings } from '../../../console/src/canvas/describe.ts'
import { diffGraphs } from '../../../console/src/canvas/diff.ts'
import type { Graph } from '../../../console/src/canvas/graph.ts'
import { layoutGraph } from '../../../console/src/canvas/layout.ts'
import { orderNodes } from '../../../console/src/canvas/order.ts'
import { nextProblem, placeProblems } from '../../../console/src/canvas/problems.ts'
import { wireAt, wirePaths } from '../../../console/src/canvas/wire-paths.ts'

const node = (id: string, x: number, y: number, data = {}) => ({
  id,
  type: 'text.template',
  position: { x, y },
  data,
})
const graph: Graph = {
  nodes: [node('end', 900, 0), node('start', 0, 0), node('mid', 400, 300)],
  connections: [
    { source: 'start', target: 'mid' },
    { source: 'mid', target: 'end', targetHandle: 'in' },
    { source: 'start', target: 'end', targetHandle: 'in' },
  ],
}
const portsOf = () => ({
  inputs: [{ name: 'in', type: 'any' as const }],
  outputs: [{ name: 'text', type: 'text' as const }],
})

test('resting wires of a type are one path; those at a live node are paths of their own', () => {
  const { resting, live } = wirePaths(graph, portsOf, (wire) => wire.source === 'mid')
  assert.deepEqual([...resting.keys()], ['text'])
  assert.equal(resting.get('text')?.match(/M/g)?.length, 2)
  assert.deepEqual(
    live.map(({ key }) => key),
    ['mid.>end.in'],
  )
})

test('a new node stands beside the selected one, and on no other', () => {
  const at = (id: string) =>
    placeBeside(
      graph,
      portsOf,
      graph.nodes.find((one) => one.id === id),
    )
  assert.deepEqual(at('end'), { x: 1180, y: 0 })
  const beside = { nodes: [...graph.nodes, node('beside', 1200, 100)], connections: [] }
  const [end] = graph.nodes
  const { x, y } = placeBeside(beside, portsOf, end)
  assert.equal(x, 1180)
  assert.ok(y > 200, `${y} is below the node that is there`)
  assert.deepEqual(placeBeside({ nodes: [], connections: [] }, portsOf, undefined), { x: 0, y: 0 })
})

test('a node put into a wire gets room, and what is behind it moves on', () => {
  const close: Graph = {
    nodes: [node('a', 0, 0), node('b', 280, 0), node('c', 560, 0), node('new', 150, 10)],
    connections: [
      { source: 'a', target: 'new', targetHandle: 'in' },
      { source: 'new', target: 'b', targetHandle: 'in' },
      { source: 'b', target: 'c', targetHandle: 'in' },
    ],
  }
  const at = (graph: Graph) => graph.nodes.map(({ position }) => position?.x)
  assert.deepEqual(at(withRoomFor(close, portsOf, 'new')), [0, 560, 840, 280])
  const far = { ...close, nodes: [node('a', 0, 0), node('b', 900, 0), node('new', 400, 10)] }
  assert.equal(withRoomFor(far, portsOf, 'new'), far, 'where there is room, nothing moves')
})

test('a point on a wire finds it, a point beside it does not', () => {
  const { x, y } = { x: 0 + 232, y: 56 + 12 }
  assert.equal(wireAt(graph, portsOf, { x, y: y + 1 }, 8)?.source, 'start')
  assert.equal(wireAt(graph, portsOf, { x: 450, y: 900 }, 8), null)
})

test('the list goes from sources to targets, and nodes in a cycle come last', () => {
  assert.deepEqual(
    orderNodes(graph).map(({ id }) => id),
    ['start', 'mid', 'end'],
  )
  const circle = {
    nodes: [...graph.nodes, node('p', 0, -500), node('q', 0, -400)],
    connections: [...graph.connections, { source: 'p', target: 'q' }, { source: 'q', target: 'p' }],
  }
  assert.deepEqual(
    orderNodes(circle).map(({ id }) => id),
    ['start', 'mid', 'end', 'p', 'q'],
  )
})

test('tidying puts targets right of their sources, without nodes on each other', () => {
  const size = { width: 232, height: 100 }
  const nodes = graph.nodes.map(({ id }) => ({ id, ...size }))
  const twice = [...graph.connections, ...graph.connections]
  const places = layoutGraph({ nodes, connections: twice })
  const x = (id: string) => places.get(id)?.x ?? Number.NaN
  assert.ok(x('start') < x('mid') && x('mid') < x('end'))
  const wide = Array.from({ length: 60 }, (_, i) => ({ id: `n${i}`, ...size }))
  const wires = Array.from({ length: 300 }, (_, i) => ({
    source: `n${(i * 7) % 55}`,
    target: `n${((i * 7) % 55) + 1 + (i % 5)}`,
  }))
  const all = [...layoutGraph({ nodes: wide, connections: wires }).values()]
  assert.equal(all.length, 60)
  for (const [i, a] of all.entries()) {
    for (const b of all.slice(i + 1)) {
      assert.ok(a.x !== b.x || Math.abs(a.y - b.y) >= size.height, 'nodes overlap')
    }
  }
})

test('tidying a cycle, a wire to nowhere and an empty graph still gives every node a position', () => {
  const nodes = graph.nodes.map(({ id }) => ({ id, width: 232, height: 100 }))
  const back = [
    ...graph.connections,
    { source: 'end', target: 'start' },
    { source: 'end', target: 'gone' },
  ]
  assert.equal(layoutGraph({ nodes, connections: back }).size, 3)
  assert.equal(layoutGraph({ nodes: [], connections: [] }).size, 0)
})

test('problems are shown at their node, port and field, and link to one another', () => {
  const found = {
    errors: [
      { code: 'INVALID_CONFIG', message: 'm', path: '/nodes/1/data/template', nodeId: 'start' },
      { code: 'PORT_TYPE_MISMATCH', message: 'm', path: '/connections/1', connectionIndex: 1 },
      {
        code: 'REQUIRED_PORT_UNCONNECTED',
        message: 'Input port "in" of "mid" needs a value',
        path: '/nodes/2',
        nodeId: 'mid',
      },
    ],
    warnings: [{ code: 'NO_OUTPUT', message: 'm', path: '' }],
  }
  const placed = placeProblems(graph, found, { portTypes: [], accepts: {}, items: [] })
  assert.deepEqual(
    placed.map(({ nodeId, port, field, level }) => [nodeId, port, field, level]),
    [
      ['start', undefined, 'template', 'error'],
      ['end', 'in', undefined, 'error'],
      ['mid', 'in', undefined, 'error'],
      [undefined, undefined, undefined, 'warning'],
    ],
  )
  assert.equal(nextProblem(placed, null), placed[0])
  assert.equal(nextProblem(placed, placed[3] ?? null), placed[0])
  assert.equal(nextProblem([], null), null)
})

test('a node reads as its label, type, step, connected inputs and problems', () => {
  const read = readings(graph, {
    portsOf,
    typeLabel: () => 'Template',
    problems: (id) => (id === 'end' ? 1 : 0),
  })
  assert.equal(read.get('end'), 'Template, step 3, 1 of 1 inputs connected, 1 problem')
  assert.equal(read.get('start'), 'Template, step 1, 0 of 1 inputs connected')
})

test('keys follow the wires forth, back and between siblings', () => {
  assert.equal(alongWires(graph, 'start', 'ArrowRight'), 'mid')
  assert.equal(alongWires(graph, 'mid', 'ArrowLeft'), 'start')
  assert.equal(alongWires(graph, 'end', 'ArrowDown'), 'mid')
  assert.equal(alongWires(graph, 'end', 'ArrowRight'), null)
})

test('a diff lists added, removed and changed nodes and only counts moves', () => {
  const after: Graph = {
    nodes: [node('start', 5, 5), node('mid', 400, 300, { label: 'New' }), node('more', 0, 0)],
    connections: [{ source: 'start', target: 'mid' }],
  }
  const { nodes, moved } = diffGraphs(graph, after)
  assert.deepEqual(
    nodes.map(({ nodeId, kind, changes }) => [nodeId, kind, changes.map(({ path }) => path)]),
    [
      ['mid', 'changed', ['label']],
      ['more', 'added', []],
      ['end', 'removed', []],
    ],
  )
  assert.equal(moved, 1)
})
