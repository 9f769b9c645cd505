import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { copyNodes, pasteNodes } from '../../../console/src/canvas/clipboard.ts'
import { emptyGraph, type Graph, idsOf } from '../../../console/src/canvas/graph.ts'
import { graphs } from './graphs.ts'

const why = (text: string, graph: Graph = emptyGraph) => {
  const pasted = pasteNodes(text, graph, { x: 0, y: 0 })
  return pasted.ok ? null : pasted.why
}

test('a copy pasted elsewhere has the same nodes and inner wires, at the pointer', () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      fc.pre(graph.nodes.length > 0)
      const pasted = pasteNodes(copyNodes(graph, idsOf(graph)), emptyGraph, { x: 100, y: 50 })
      assert.ok(pasted.ok)
      assert.equal(Math.min(...pasted.graph.nodes.map((node) => node.position?.x ?? 0)), 100)
      assert.equal(Math.min(...pasted.graph.nodes.map((node) => node.position?.y ?? 0)), 50)
      assert.deepEqual(
        pasted.graph.nodes.map(({ type, data }) => ({ type, data })),
        graph.nodes.map(({ type, data }) => ({ type, data })),
      )
      assert.deepEqual(pasted.graph.connections, graph.connections)
    }),
  )
})

test('a paste beside the original changes nothing there and gives every node an id of its own', () => {
  fc.assert(
    fc.property(graphs, fc.array(fc.nat(5)), (graph, picks) => {
      const chosen = new Set(
        picks.flatMap((pick) => (graph.nodes[pick] ? [graph.nodes[pick].id] : [])),
      )
      fc.pre(chosen.size > 0)
      const pasted = pasteNodes(copyNodes(graph, chosen), graph, { x: 0, y: 0 })
      assert.ok(pasted.ok)
      assert.deepEqual(pasted.graph.nodes.slice(0, graph.nodes.length), graph.nodes)
      assert.equal(idsOf(pasted.graph).size, graph.nodes.length + chosen.size)
      const inner = graph.connections.filter(
        ({ source, target }) => chosen.has(source) && chosen.has(target),
      )
      assert.equal(pasted.graph.connections.length, graph.connections.length + inner.length)
      for (const wire of pasted.graph.connections.slice(graph.connections.length)) {
        assert.ok(pasted.ids.has(wire.source) && pasted.ids.has(wire.target))
      }
    }),
  )
})

test('an exported workflow can be pasted as well', () => {
  const data = { nodes: [{ id: 'a', type: 'output', data: {} }], connections: [] }
  assert.equal(why(JSON.stringify({ name: 'x', data })), null)
  assert.equal(why(JSON.stringify(data)), null)
})

test('a foreign paste says why it failed', () => {
  assert.match(why('') ?? '', /empty/)
  assert.match(why('hello') ?? '', /text, not nodes/)
  assert.match(why('null') ?? '', /not a graph/)
  assert.match(why('{"nodes":[{"id":1}],"connections":[]}') ?? '', /not a graph/)
  const node = (i: number) => ({ id: `n${i}`, type: 'output', data: {} })
  const many = { nodes: Array.from({ length: 150 }, (_, i) => node(i)), connections: [] }
  assert.match(why(JSON.stringify(many), many) ?? '', /300 nodes/)
})
