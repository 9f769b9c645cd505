import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { diffGraphs } from '../../../console/src/canvas/diff.ts'
import type { Graph } from '../../../console/src/canvas/graph.ts'
import { mergeGraphs, type Side } from '../../../console/src/canvas/merge.ts'
import { apply, edits, graphs } from './graphs.ts'

const node = (id: string, data: Record<string, unknown> = {}, x = 0) => ({
  id,
  type: 'text.template',
  position: { x, y: 0 },
  data,
})
const wire = (source: string, target: string, targetHandle = 'in') => ({
  source,
  sourceHandle: 'text',
  target,
  targetHandle,
})
const base: Graph = { nodes: [node('a'), node('b'), node('c')], connections: [wire('a', 'b')] }
const none = new Map<string, Side>()
const isSame = (a: Graph, b: Graph) => {
  const { nodes, moved } = diffGraphs(a, b)
  return nodes.length === 0 && moved === 0
}
const choices = (merge: ReturnType<typeof mergeGraphs>, side: Side) =>
  new Map(merge.conflicts.map(({ nodeId }) => [nodeId, side]))

test('changes to different nodes are both kept without a question', () => {
  const mine = { ...base, nodes: [node('a', { label: 'mine' }), node('b'), node('c')] }
  const theirs = {
    nodes: [...base.nodes, node('d')],
    connections: [...base.connections, wire('c', 'd')],
  }
  const merge = mergeGraphs({ base, mine, theirs })
  assert.deepEqual(merge.conflicts, [])
  assert.equal(merge.onlyMine, 1)
  assert.equal(merge.onlyTheirs, 1)
  const merged = merge.resolve(none)
  assert.equal(merged.nodes.find((one) => one.id === 'a')?.data.label, 'mine')
  assert.deepEqual(merged.connections, theirs.connections)
})

test('the same node changed by both is a conflict, and the choice decides', () => {
  const change = (label: string): Graph => ({
    ...base,
    nodes: [node('a', { label }), node('b'), node('c')],
  })
  const merge = mergeGraphs({ base, mine: change('mine'), theirs: change('theirs') })
  assert.deepEqual(
    merge.conflicts.map(({ nodeId }) => nodeId),
    ['a'],
  )
  for (const side of ['mine', 'theirs'] as const) {
    const label = merge.resolve(new Map([['a', side]])).nodes.find((one) => one.id === 'a')?.data
    assert.deepEqual(label, { label: side })
  }
})

test('wires into different ports of one node are both kept; into the same port they conflict', () => {
  const add = (source: string, port: string): Graph => ({
    ...base,
    connections: [...base.connections, wire(source, 'c', port)],
  })
  const apart = mergeGraphs({ base, mine: add('a', 'x'), theirs: add('b', 'y') })
  assert.deepEqual(apart.conflicts, [])
  assert.equal(apart.resolve(none).connections.length, 3)
  const clash = mergeGraphs({ base, mine: add('a', 'x'), theirs: add('b', 'x') })
  assert.deepEqual(
    clash.conflicts.map(({ nodeId }) => nodeId),
    ['c'],
  )
})

test('a wire from a node the other side removed is asked about, not dropped', () => {
  const mine = { ...base, connections: [...base.connections, wire('c', 'b', 'x')] }
  const theirs = { ...base, nodes: base.nodes.slice(0, 2) }
  const merge = mergeGraphs({ base, mine, theirs })
  assert.deepEqual(
    merge.conflicts.map(({ nodeId, theirs: other }) => [nodeId, other]),
    [['c', null]],
  )
  assert.equal(merge.resolve(new Map([['c', 'mine']])).connections.length, 2)
  assert.equal(merge.resolve(new Map([['c', 'theirs']])).connections.length, 1)
})

test('moves never conflict', () => {
  const move = (x: number): Graph => ({ ...base, nodes: [node('a', {}, x), node('b'), node('c')] })
  const merge = mergeGraphs({ base, mine: move(5), theirs: move(9) })
  assert.deepEqual(merge.conflicts, [])
  assert.equal(merge.resolve(none).nodes[0]?.position?.x, 5)
})

test('a change made by only one side is kept exactly', () => {
  fc.assert(
    fc.property(graphs, edits, (start, changes) => {
      const changed = apply(start, changes)
      const mine = mergeGraphs({ base: start, mine: changed, theirs: start })
      const theirs = mergeGraphs({ base: start, mine: start, theirs: changed })
      const both = mergeGraphs({ base: start, mine: changed, theirs: changed })
      for (const merge of [mine, theirs, both]) {
        assert.deepEqual(merge.conflicts, [])
        assert.ok(isSame(merge.resolve(none), changed))
      }
    }),
  )
})

test('a merge keeps every node that no side removed, and leaves no wire without ends', () => {
  fc.assert(
    fc.property(
      graphs,
      edits,
      edits,
      fc.constantFrom<Side>('mine', 'theirs'),
      (start, a, b, side) => {
        const [mine, theirs] = [apply(start, a), apply(start, b)]
        const merge = mergeGraphs({ base: start, mine, theirs })
        const merged = merge.resolve(choices(merge, side))
        const ids = new Set(merged.nodes.map((one) => one.id))
        assert.equal(ids.size, merged.nodes.length)
        for (const { source, target } of merged.connections) {
          assert.ok(ids.has(source) && ids.has(target))
        }
        for (const one of mine.nodes) {
          if (theirs.nodes.some((other) => other.id === one.id)) assert.ok(ids.has(one.id))
        }
      },
    ),
  )
})

test('which nodes conflict does not depend on who is asked', () => {
  fc.assert(
    fc.property(graphs, edits, edits, (start, a, b) => {
      const [mine, theirs] = [apply(start, a), apply(start, b)]
      const ids = (merge: ReturnType<typeof mergeGraphs>) =>
        merge.conflicts.map(({ nodeId }) => nodeId).sort()
      assert.deepEqual(
        ids(mergeGraphs({ base: start, mine, theirs })),
        ids(mergeGraphs({ base: start, mine: theirs, theirs: mine })),
      )
    }),
  )
})
