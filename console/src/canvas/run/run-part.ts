// Which nodes a part of a run is about. Pure.
import type { RunPart } from '#console/canvas/canvas-ui.ts'
import type { Graph } from '#console/canvas/graph.ts'

/** Null: all nodes. */
export function targetsOf(part: RunPart, graph: Pick<Graph, 'connections'>): string[] | null {
  if (part === 'without reuse') return null
  if ('only' in part) return [part.only]
  const behind = new Set([part.from])
  // Iterating over a Set also visits the members added meanwhile.
  for (const id of behind) {
    for (const { source, target } of graph.connections) if (source === id) behind.add(target)
  }
  return [...behind]
}
