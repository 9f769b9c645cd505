// A node as merge and diff compare it: its settings, and the wires into each of its ports. Wires
// belong to the node at which they end, so that comparing by node covers the whole graph.
import { sameJson } from './equal.ts'
import { type Connection, type Graph, type GraphNode, wireKey } from './graph.ts'

export type NodeParts = {
  readonly node: GraphNode
  /** By input port; '' holds wires that name none. */
  readonly wires: ReadonlyMap<string, readonly Connection[]>
}

export function partsOf(graph: Graph): Map<string, NodeParts> {
  const parts = new Map(
    graph.nodes.map((node) => [node.id, { node, wires: new Map<string, Connection[]>() }]),
  )
  for (const wire of graph.connections) {
    const wires = parts.get(wire.target)?.wires
    if (!wires) continue
    const port = wire.targetHandle ?? ''
    const into = wires.get(port)
    if (into) into.push(wire)
    else wires.set(port, [wire])
  }
  return parts
}

/** A node's position has no effect on what it does. */
export function sameSettings(a: GraphNode, b: GraphNode): boolean {
  const { position: _, ...mine } = a
  const { position: __, ...theirs } = b
  return sameJson(mine, theirs)
}

export function sameWires(
  a: readonly Connection[] | undefined,
  b: readonly Connection[] | undefined,
): boolean {
  const [mine, theirs] = [a ?? [], b ?? []]
  return mine.length === theirs.length && mine.every((wire, i) => sameEnds(wire, theirs[i]))
}

const sameEnds = (a: Connection, b: Connection | undefined) => b && wireKey(a) === wireKey(b)

export const allPorts = (...parts: (NodeParts | undefined)[]): string[] => [
  ...new Set(parts.flatMap((one) => [...(one?.wires.keys() ?? [])])),
]
