// Where nodes are put: all of them in layers, or the selected ones in line. Pure.
import { placeOf, sizeOf } from './geometry.ts'
import { type Graph, type GraphNode, moveNodes, type Position } from './graph.ts'
import { layoutGraph } from './layout.ts'
import type { PortsOf } from './node-types.ts'

/** Space below a node, by its id, for what hangs there. */
export type Below = ReadonlyMap<string, number>

/** Between nodes that are spaced out. */
const gap = 40

export function tidied(graph: Graph, portsOf: PortsOf, below: Below = new Map()): Graph {
  return moveNodes(graph, layout(graph.nodes, graph, portsOf, below))
}

/** Only these nodes are laid out anew; their upper left corner stays where it is. */
export function tidiedPart(
  graph: Graph,
  ids: ReadonlySet<string>,
  portsOf: PortsOf,
  below: Below = new Map(),
): Graph {
  const nodes = graph.nodes.filter(({ id }) => ids.has(id))
  const to = layout(nodes, graph, portsOf, below)
  const [was, is] = [cornerOf(nodes.map(placeOf)), cornerOf([...to.values()])]
  const by = { x: was.x - is.x, y: was.y - is.y }
  return moveNodes(
    graph,
    new Map([...to].map(([id, { x, y }]) => [id, { x: x + by.x, y: y + by.y }])),
  )
}

function layout(
  nodes: readonly GraphNode[],
  { connections }: Graph,
  portsOf: PortsOf,
  below: Below,
) {
  const ids = new Set(nodes.map(({ id }) => id))
  return layoutGraph({
    nodes: nodes.map((node) => {
      const { width, height } = sizeOf(node, portsOf(node))
      return { id: node.id, width, height: height + (below.get(node.id) ?? 0) }
    }),
    connections: connections.filter(({ source, target }) => ids.has(source) && ids.has(target)),
  })
}

const cornerOf = (places: readonly Position[]): Position => ({
  x: Math.min(...places.map(({ x }) => x)),
  y: Math.min(...places.map(({ y }) => y)),
})

export type Alignment = 'left' | 'top' | 'spread'

/** In line with the outermost node, or side by side with equal spaces, from left to right. */
export function aligned(
  graph: Graph,
  ids: ReadonlySet<string>,
  how: Alignment,
  portsOf: PortsOf,
): Graph {
  const nodes = graph.nodes.filter(({ id }) => ids.has(id))
  const corner = cornerOf(nodes.map(placeOf))
  const sorted = nodes.toSorted((a, b) => placeOf(a).x - placeOf(b).x)
  let { x: nextX } = corner
  const to = sorted.map((node): [string, Position] => {
    const { x, y } = placeOf(node)
    if (how === 'left') return [node.id, { x: corner.x, y }]
    if (how === 'top') return [node.id, { x, y: corner.y }]
    const place = { x: nextX, y }
    nextX += sizeOf(node, portsOf(node)).width + gap
    return [node.id, place]
  })
  return moveNodes(graph, new Map(to))
}

/** Graphs made by programs may lack positions; they are laid out before they are shown. */
export const placed = (graph: Graph, portsOf: PortsOf): Graph =>
  graph.nodes.every((node) => node.position) ? graph : tidied(graph, portsOf)
