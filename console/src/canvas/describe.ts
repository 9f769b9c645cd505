// What a screen reader reads out for a node, and where the keys lead: along wires, or to siblings.
import { modeOf, modeWords } from './draw-actions.ts'
import { type Graph, type GraphNode, labelOf } from './graph.ts'
import { type PortsOf, portNamed } from './node-types.ts'
import { orderNodes } from './order.ts'

/** The text read out for each node, by id. */
export function readings(
  graph: Graph,
  facts: {
    portsOf: PortsOf
    typeLabel(type: string): string
    problems(nodeId: string): number
  },
): Map<string, string> {
  const fed = new Map<string, Set<string>>()
  const byId = new Map(graph.nodes.map((node) => [node.id, node]))
  for (const wire of graph.connections) {
    const target = byId.get(wire.target)
    const port = target && portNamed(facts.portsOf(target).inputs, wire.targetHandle)
    if (!port) continue
    fed.set(wire.target, (fed.get(wire.target) ?? new Set()).add(port.name))
  }
  return new Map(
    orderNodes(graph).map((node, index) => {
      const total = facts.portsOf(node).inputs.length
      const problems = facts.problems(node.id)
      const mode = modeOf(node)
      const parts = [
        nameOf(node, facts.typeLabel(node.type)),
        ...(mode ? [modeWords[mode].toLowerCase()] : []),
        `step ${index + 1}`,
        ...(total > 0 ? [`${fed.get(node.id)?.size ?? 0} of ${total} inputs connected`] : []),
        ...(problems > 0 ? [`${problems} problem${problems === 1 ? '' : 's'}`] : []),
      ]
      return [node.id, parts.join(', ')]
    }),
  )
}

const nameOf = (node: GraphNode, typeLabel: string): string => {
  const label = labelOf(node)
  return label === node.id || label === typeLabel ? typeLabel : `${label}, ${typeLabel}`
}

/** Left and right follow wires; up and down move between siblings with the same source. */
export function alongWires(
  graph: Graph,
  from: string,
  key: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown',
): string | null {
  if (key === 'ArrowRight')
    return graph.connections.find((wire) => wire.source === from)?.target ?? null
  if (key === 'ArrowLeft')
    return graph.connections.find((wire) => wire.target === from)?.source ?? null
  const siblings = siblingsOf(graph, from)
  const at = siblings.indexOf(from)
  return siblings[key === 'ArrowDown' ? at + 1 : at - 1] ?? null
}

function siblingsOf(graph: Graph, id: string): string[] {
  const sources = new Set(
    graph.connections.filter((wire) => wire.target === id).map((wire) => wire.source),
  )
  const ids =
    sources.size === 0
      ? graph.nodes
          .filter((node) => !graph.connections.some((wire) => wire.target === node.id))
          .map((node) => node.id)
      : graph.connections.filter((wire) => sources.has(wire.source)).map((wire) => wire.target)
  const top = new Map(graph.nodes.map((node) => [node.id, node.position?.y ?? 0]))
  return [...new Set(ids)].sort((a, b) => (top.get(a) ?? 0) - (top.get(b) ?? 0))
}
