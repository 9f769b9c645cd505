// Which nodes a part of a run is about. Pure.
import type { RunPart } from '#console/canvas/canvas-ui.ts'
import type { Graph } from '#console/canvas/graph.ts'

export type Asked = {
  /** Only these run, and what they need; null: all nodes. */
  readonly targets: readonly string[] | null
  /** The node that is executed although its answer could be reused, or is pinned. */
  readonly fresh: string | null
  readonly isReusing: boolean
}

export const allNodes: Asked = { targets: null, fresh: null, isReusing: true }

export function askedFor(part: RunPart, graph: Pick<Graph, 'connections'>): Asked {
  if (part === 'without reuse') return { ...allNodes, isReusing: false }
  if ('only' in part) return { targets: [part.only], fresh: part.only, isReusing: true }
  if ('to' in part) return { ...allNodes, targets: [part.to] }
  const behind = new Set([part.from])
  // Iterating over a Set also visits the members added meanwhile.
  for (const id of behind) {
    for (const { source, target } of graph.connections) if (source === id) behind.add(target)
  }
  return { targets: [...behind], fresh: part.from, isReusing: true }
}
