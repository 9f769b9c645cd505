// What a screen reader hears of a node, and where the keys lead: along wires, or to the nearest.
import { wiresInto } from './connect-rules.ts'
import { type Graph, type GraphNode, labelOf } from './graph.ts'
import type { PortsOf } from './node-types.ts'

export function describeNode(
  graph: Graph,
  node: GraphNode,
  facts: { step: number; typeLabel: string; problems: number; portsOf: PortsOf },
): string {
  const { inputs } = facts.portsOf(node)
  const connected = inputs.filter(
    (port) => wiresInto(graph, node, port, facts.portsOf).length > 0,
  ).length
  const label = labelOf(node)
  return [
    label === node.id || label === facts.typeLabel
      ? facts.typeLabel
      : `${label}, ${facts.typeLabel}`,
    `step ${facts.step}`,
    ...(inputs.length > 0 ? [`${connected} of ${inputs.length} inputs connected`] : []),
    ...(facts.problems > 0 ? [`${facts.problems} problem${facts.problems === 1 ? '' : 's'}`] : []),
  ].join(', ')
}

/** Along the wires: left and right follow them, up and down go between siblings of one source. */
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
