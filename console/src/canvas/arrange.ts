// Where nodes are put: all of them in layers, or the selected ones in line. Pure.
import {
  type Group,
  groupMargin,
  groupsOf,
  groupTitle,
  moveAll,
  noteSize,
  notesOf,
} from './drawings.ts'
import { cardWidth, placeOf, type Size, sizeOf } from './geometry.ts'
import { type Graph, type GraphNode, moveNodes, type Position } from './graph.ts'
import { layoutGraph } from './layout.ts'
import { besideOf } from './new-node.ts'
import type { PortsOf } from './node-types.ts'

/** Space below a node, by its id, for what hangs there. */
export type Below = ReadonlyMap<string, number>

/** Between nodes that are spaced out. */
const gap = 40
/** Of a new node, whose ports the server has not told yet. */
const usualHeight = 160

export function tidied(graph: Graph, portsOf: PortsOf, below: Below = new Map()): Graph {
  const groups = groupsOf(graph).filter(({ nodes }) => nodes.length > 0)
  const to =
    groups.length > 0
      ? layoutGroups(groups, graph, portsOf, below)
      : layout(graph.nodes, graph, portsOf, below)
  return withFreeNotes(moveNodes(graph, to), portsOf)
}

/** A place below everything. */
export function freePlace(graph: Graph, portsOf: PortsOf): Position {
  const nodes = graph.nodes.map((node) => ({ ...placeOf(node), ...sizeOf(node, portsOf(node)) }))
  const all = [...nodes, ...notesOf(graph).map(({ position }) => ({ ...position, ...noteSize }))]
  if (all.length === 0) return { x: 0, y: 0 }
  return {
    x: Math.min(...all.map(({ x }) => x)),
    y: Math.max(...all.map(({ y, height }) => y + height)) + gap + groupMargin,
  }
}

/** To the right of a node, or further down where others are already; at the origin without one. */
export function placeBeside(graph: Graph, portsOf: PortsOf, node: GraphNode | undefined): Position {
  const room = { width: cardWidth, height: usualHeight }
  const boxes = graph.nodes.map((one) => ({ ...placeOf(one), ...sizeOf(one, portsOf(one)) }))
  let at = besideOf(node)
  for (;;) {
    const taken = boxes.find((box) => isOver(box, { ...at, ...room }))
    if (!taken) return at
    at = { x: at.x, y: taken.y + taken.height + gap }
  }
}

/** Where wires run between two nodes. */
const wireRoom = 48

/**
 * A node that was put into a wire stands between its two neighbours: what is to the right of it moves
 * on as far as needed.
 */
export function withRoomFor(graph: Graph, portsOf: PortsOf, id: string): Graph {
  const node = graph.nodes.find((one) => one.id === id)
  if (!node) return graph
  const boxOf = (one: GraphNode) => ({ ...placeOf(one), ...sizeOf(one, portsOf(one)) })
  const own = boxOf(node)
  const others = graph.nodes.filter((one) => one !== node)
  if (!others.some((one) => isOver(boxOf(one), own))) return graph
  const near = (end: 'source' | 'target') =>
    graph.connections
      .filter((wire) => wire[end === 'source' ? 'target' : 'source'] === id)
      .flatMap((wire) => others.find((one) => one.id === wire[end]) ?? [])
  const right = (one: GraphNode) => boxOf(one).x + boxOf(one).width
  const x = Math.max(own.x, ...near('source').map((one) => right(one) + wireRoom))
  const from = Math.min(...near('target').map((one) => boxOf(one).x))
  const by = Math.max(0, x + own.width + wireRoom - from)
  const moved = others.filter((one) => boxOf(one).x >= from)
  return moveNodes(
    graph,
    new Map([
      [id, { x, y: own.y }],
      ...moved.map((one): [string, Position] => [
        one.id,
        { x: boxOf(one).x + by, y: boxOf(one).y },
      ]),
    ]),
  )
}

/** Pasted nodes keep their shape, and move down together until they cover none of the others. */
export function clearOfOthers(graph: Graph, ids: ReadonlySet<string>, portsOf: PortsOf): Graph {
  const boxes = [
    ...graph.nodes.map((one) => ({ id: one.id, ...placeOf(one), ...sizeOf(one, portsOf(one)) })),
    ...notesOf(graph).map(({ id, position }) => ({ id, ...position, ...noteSize })),
  ]
  const own = boxes.filter(({ id }) => ids.has(id))
  const others = boxes.filter(({ id }) => !ids.has(id))
  let by = 0
  for (;;) {
    const needed = own.flatMap((box) =>
      others
        .filter((other) => isOver(other, { ...box, y: box.y + by }))
        .map((other) => other.y + other.height + gap - box.y),
    )
    if (needed.length === 0) break
    by = Math.min(...needed)
  }
  return moveAll(graph, new Map(own.map(({ id, x, y }) => [id, { x, y: y + by }])))
}

type Box = Position & Size

const isOver = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

/** Notes stay where they are, unless a node now covers them. */
function withFreeNotes(graph: Graph, portsOf: PortsOf): Graph {
  const nodes = graph.nodes.map((node) => ({ ...placeOf(node), ...sizeOf(node, portsOf(node)) }))
  return notesOf(graph)
    .filter(({ position }) => nodes.some((node) => isOver(node, { ...position, ...noteSize })))
    .reduce((now, { id }) => moveAll(now, new Map([[id, freePlace(now, portsOf)]])), graph)
}

/** Each group is laid out by itself, and takes part in the whole as one large node. */
function layoutGroups(
  groups: readonly Group[],
  graph: Graph,
  portsOf: PortsOf,
  below: Below,
): Map<string, Position> {
  const inside = new Map(groups.flatMap(({ id, nodes }) => nodes.map((node) => [node, `${id} `])))
  const parts = new Map(
    groups.map((group) => {
      const nodes = graph.nodes.filter(({ id }) => inside.get(id) === `${group.id} `)
      return [`${group.id} `, partOf(nodes, graph, portsOf, below)]
    }),
  )
  const free = graph.nodes.filter(({ id }) => !inside.has(id))
  const endOf = (id: string) => inside.get(id) ?? id
  const outer = layoutGraph({
    nodes: [
      ...free.map((node) => ({ id: node.id, ...roomOf(node, portsOf, below) })),
      ...[...parts].map(([id, { width, height }]) => ({ id, width, height })),
    ],
    connections: graph.connections
      .map(({ source, target }) => ({ source: endOf(source), target: endOf(target) }))
      .filter(({ source, target }) => source !== target),
  })
  const to = new Map<string, Position>()
  for (const [id, at] of outer) {
    const part = parts.get(id)
    if (!part) to.set(id, at)
    for (const [node, { x, y }] of part?.places ?? []) to.set(node, { x: at.x + x, y: at.y + y })
  }
  return to
}

/** The places of a group's nodes within its frame, and the size of the frame. */
function partOf(nodes: readonly GraphNode[], graph: Graph, portsOf: PortsOf, below: Below) {
  const to = layout(nodes, graph, portsOf, below)
  const corner = cornerOf([...to.values()])
  const places = nodes.map((node): [string, Position, Size] => {
    const { x, y } = to.get(node.id) ?? corner
    const at = { x: x - corner.x + groupMargin, y: y - corner.y + groupMargin + groupTitle }
    return [node.id, at, roomOf(node, portsOf, below)]
  })
  return {
    places: new Map(places.map(([id, at]) => [id, at])),
    width: Math.max(...places.map(([, { x }, { width }]) => x + width)) + groupMargin,
    height: Math.max(...places.map(([, { y }, { height }]) => y + height)) + groupMargin,
  }
}

function roomOf(node: GraphNode, portsOf: PortsOf, below: Below): Size {
  const { width, height } = sizeOf(node, portsOf(node))
  return { width, height: height + (below.get(node.id) ?? 0) }
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
    nodes: nodes.map((node) => ({ id: node.id, ...roomOf(node, portsOf, below) })),
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
