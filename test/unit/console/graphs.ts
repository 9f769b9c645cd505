// Graphs and edits for the property tests: small alphabets, so that edits meet often.
import fc from 'fast-check'
import {
  addNodes,
  type Connection,
  connect,
  type Graph,
  moveNodes,
  removeNodes,
  setSetting,
} from '../../../console/src/canvas/graph.ts'

const ids = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const id = fc.constantFrom(...ids)

/** Plain objects, as JSON makes them. */
const plain = { noNullPrototype: true }

const node = (nodeId: string) =>
  fc.record(
    {
      id: fc.constant(nodeId),
      type: fc.constantFrom('text.template', 'output'),
      position: fc.record({ x: fc.integer({ min: 0, max: 9 }), y: fc.integer({ min: 0, max: 9 }) }),
      data: fc.dictionary(
        fc.constantFrom('label', 'template'),
        fc.constantFrom('x', 'y', 'z'),
        plain,
      ),
    },
    plain,
  )

const wire = fc.record(
  {
    source: id,
    sourceHandle: fc.constantFrom('text', 'json'),
    target: id,
    targetHandle: fc.constantFrom('value', 'in'),
  },
  plain,
)

const withWires = (graph: Graph, wires: readonly Connection[]): Graph => {
  const has = (nodeId: string) => graph.nodes.some((one) => one.id === nodeId)
  return wires
    .filter(({ source, target }) => source < target && has(source) && has(target))
    .reduce((all, one) => connect(all, one), graph)
}

export const graphs = fc
  .tuple(fc.subarray([...ids]), fc.array(wire, { maxLength: 8 }))
  .chain(([chosen, wires]) =>
    fc.tuple(...chosen.map(node)).map((nodes) => withWires({ nodes, connections: [] }, wires)),
  )

const edit: fc.Arbitrary<(graph: Graph) => Graph> = fc.oneof(
  id.map((one) => (graph: Graph) => removeNodes(graph, new Set([one]))),
  fc.tuple(id, fc.constantFrom('label', 'template'), fc.constantFrom('p', 'q', undefined)).map(
    ([one, key, value]) =>
      (graph: Graph) =>
        setSetting(graph, one, key, value),
  ),
  fc.tuple(id, fc.integer({ min: 0, max: 9 })).map(
    ([one, x]) =>
      (graph: Graph) =>
        moveNodes(graph, new Map([[one, { x, y: 0 }]])),
  ),
  id
    .chain(node)
    .map(
      (one) => (graph: Graph) =>
        graph.nodes.some((other) => other.id === one.id) ? graph : addNodes(graph, [one]),
    ),
  wire.map((one) => (graph: Graph) => withWires(graph, [one])),
)

export const edits = fc.array(edit, { maxLength: 6 })

export const apply = (graph: Graph, all: readonly ((graph: Graph) => Graph)[]): Graph =>
  all.reduce((now, one) => one(now), graph)
