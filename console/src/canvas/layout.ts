// Tidying: columns by dagre, and if it throws, by depth. Runs in a worker, since 200 nodes with
// 1,000 connections take seconds. Pure; the worker file only hands messages on.
import { graphlib, layout } from '@dagrejs/dagre'
import { depths } from './order.ts'

export type LayoutRequest = {
  readonly nodes: readonly { id: string; width: number; height: number }[]
  readonly connections: readonly { source: string; target: string }[]
}

export type Places = Record<string, { x: number; y: number }>

const columnGap = 88
const rowGap = 32

export function layoutGraph(request: LayoutRequest): Places {
  try {
    return byDagre(request)
  } catch {
    return byDepth(request)
  }
}

/** dagre throws on parallel wires: one per pair of nodes is enough to place them. */
export function pairsOf({
  nodes,
  connections,
}: LayoutRequest): { source: string; target: string }[] {
  const ids = new Set(nodes.map((node) => node.id))
  const pairs = new Map<string, { source: string; target: string }>()
  for (const { source, target } of connections) {
    if (source === target || !ids.has(source) || !ids.has(target)) continue
    pairs.set(`${source}>${target}`, { source, target })
  }
  return [...pairs.values()]
}

function byDagre(request: LayoutRequest): Places {
  const graph = new graphlib.Graph()
  graph.setGraph({ rankdir: 'LR', ranksep: columnGap, nodesep: rowGap })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id, width, height } of request.nodes) graph.setNode(id, { width, height })
  for (const { source, target } of pairsOf(request)) graph.setEdge(source, target)
  layout(graph)
  return Object.fromEntries(
    request.nodes.map(({ id, width, height }) => {
      const { x, y } = graph.node(id) as { x: number; y: number }
      return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }]
    }),
  )
}

/** Nodes in a circle have no depth and stand in the first column. */
export function byDepth({ nodes, connections }: LayoutRequest): Places {
  const depth = depths({
    nodes: nodes.map(({ id }) => ({ id, type: '', data: {} })),
    connections,
  })
  const filled = new Map<number, number>()
  const places: Places = {}
  for (const { id, width, height } of nodes) {
    const column = depth.get(id) ?? 0
    const y = filled.get(column) ?? 0
    places[id] = { x: column * (width + columnGap), y }
    filled.set(column, y + height + rowGap)
  }
  return places
}
