// The graph as a list: sources before targets, otherwise from top to bottom and left to right. The
// list view, the step numbers and the keyboard use this order. Nodes in a cycle come last.
import type { Graph, GraphNode } from './graph.ts'

export function orderNodes(graph: Graph): GraphNode[] {
  const depth = depths(graph)
  const rank = (node: GraphNode) => depth.get(node.id) ?? Number.POSITIVE_INFINITY
  return [...graph.nodes].sort(
    (a, b) =>
      compare(rank(a), rank(b)) ||
      (a.position?.y ?? 0) - (b.position?.y ?? 0) ||
      (a.position?.x ?? 0) - (b.position?.x ?? 0),
  )
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)

/** The longest path to each node; nodes in or after a cycle are left out. */
export function depths(graph: Graph): Map<string, number> {
  const waits = new Map(graph.nodes.map((node) => [node.id, 0]))
  const targets = new Map<string, string[]>()
  for (const { source, target } of graph.connections) {
    if (!waits.has(source) || !waits.has(target)) continue
    waits.set(target, (waits.get(target) ?? 0) + 1)
    targets.set(source, [...(targets.get(source) ?? []), target])
  }
  const depth = new Map<string, number>()
  const ready = [...waits].filter(([, count]) => count === 0).map(([id]) => id)
  for (const id of ready) depth.set(id, 0)
  for (const id of ready) {
    for (const target of targets.get(id) ?? []) {
      depth.set(target, Math.max(depth.get(target) ?? 0, (depth.get(id) ?? 0) + 1))
      const left = (waits.get(target) ?? 0) - 1
      waits.set(target, left)
      if (left === 0) ready.push(target)
    }
  }
  for (const [id, left] of waits) if (left > 0) depth.delete(id)
  return depth
}
