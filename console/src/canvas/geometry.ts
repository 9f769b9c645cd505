// Sizes and positions of what the canvas draws, known before anything is drawn: nodes need not be
// measured, and wires are paths computed from the graph alone.
import type { Graph, GraphNode, Position } from './graph.ts'
import { type Ports, type PortsOf, portNamed } from './node-types.ts'

export const cardWidth = 232
const headHeight = 56
const rowHeight = 24
/** The line with the state of the node, which is always there. */
const footHeight = 32
/** Space for the tool inside a browser node. */
export const toolHeight = 168

export type Size = { readonly width: number; readonly height: number }

export const isBrowserTool = (type: string): boolean => type.startsWith('browser.')

export function sizeOf(node: GraphNode, ports: Ports): Size {
  const rows = Math.max(ports.inputs.length, ports.outputs.length)
  const tool = isBrowserTool(node.type) ? toolHeight : 0
  return { width: cardWidth, height: headHeight + rows * rowHeight + tool + footHeight }
}

/** The centre of a row's port, relative to the node. */
export const portOffset = (side: 'inputs' | 'outputs', row: number): Position => ({
  x: side === 'inputs' ? 0 : cardWidth,
  y: headHeight + row * rowHeight + rowHeight / 2,
})

const origin: Position = { x: 0, y: 0 }
export const placeOf = (node: GraphNode): Position => node.position ?? origin

export type Segment = { readonly from: Position; readonly to: Position; readonly type: string }

type Place = (node: GraphNode) => Position

/** Where a wire begins and ends; null while one of its ports does not exist. */
export function createSegmentOf(graph: Graph, portsOf: PortsOf, place: Place = placeOf) {
  const byId = new Map(graph.nodes.map((node) => [node.id, { node, ports: portsOf(node) }]))
  return (wire: Graph['connections'][number]): Segment | null => {
    const [source, target] = [byId.get(wire.source), byId.get(wire.target)]
    if (!source || !target) return null
    const from = portNamed(source.ports.outputs, wire.sourceHandle)
    const to = portNamed(target.ports.inputs, wire.targetHandle)
    if (!from || !to) return null
    return {
      from: sum(place(source.node), portOffset('outputs', source.ports.outputs.indexOf(from))),
      to: sum(place(target.node), portOffset('inputs', target.ports.inputs.indexOf(to))),
      type: from.type,
    }
  }
}

const sum = (a: Position, b: Position): Position => ({ x: a.x + b.x, y: a.y + b.y })

/** How far the curve swings out: further for wires that lead backwards. */
const reach = (from: Position, to: Position): number =>
  Math.max(32, Math.min(160, Math.abs(to.x - from.x) / 2 + Math.max(0, from.x - to.x) / 4))

export function curve({ from, to }: Pick<Segment, 'from' | 'to'>): string {
  const swing = reach(from, to)
  return `M${from.x},${from.y}C${from.x + swing},${from.y} ${to.x - swing},${to.y} ${to.x},${to.y}`
}

export function pointOn({ from, to }: Pick<Segment, 'from' | 'to'>, t: number): Position {
  const swing = reach(from, to)
  const u = 1 - t
  const mix = (a: number, b: number, c: number, d: number) =>
    u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d
  return {
    x: mix(from.x, from.x + swing, to.x - swing, to.x),
    y: mix(from.y, from.y, to.y, to.y),
  }
}

/** The distance from a point to the curve, exact enough to pick a wire with a pointer. */
export function distanceTo(segment: Pick<Segment, 'from' | 'to'>, point: Position): number {
  let nearest = Number.POSITIVE_INFINITY
  for (let step = 0; step <= 24; step++) {
    const { x, y } = pointOn(segment, step / 24)
    nearest = Math.min(nearest, Math.hypot(x - point.x, y - point.y))
  }
  return nearest
}
