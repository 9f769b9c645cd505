// All idle wires of one type are one path: a thousand elements would be laid out and painted one by
// one. Only wires at a hovered, selected or dragged node are separate elements.
import { createSegmentOf, curve, distanceTo } from './geometry.ts'
import { type Graph, type Position, wireKey } from './graph.ts'
import type { PortsOf } from './node-types.ts'

type Wire = Graph['connections'][number]
type SegmentOf = ReturnType<typeof createSegmentOf>

/** The wires of each port type, joined into one path. */
export type JoinedPaths = ReadonlyMap<string, string>
export type LivePath = { readonly key: string; readonly type: string; readonly path: string }
export type WirePaths = { readonly resting: JoinedPaths; readonly live: readonly LivePath[] }

export function wirePaths(
  graph: Graph,
  portsOf: PortsOf,
  isLive: (wire: Wire) => boolean,
): WirePaths {
  const segmentOf = createSegmentOf(graph, portsOf)
  return {
    resting: joinedPaths(
      graph.connections.filter((wire) => !isLive(wire)),
      segmentOf,
    ),
    live: livePaths(graph.connections.filter(isLive), segmentOf),
  }
}

export function joinedPaths(wires: readonly Wire[], segmentOf: SegmentOf): JoinedPaths {
  const paths = new Map<string, string>()
  for (const wire of wires) {
    const segment = segmentOf(wire)
    if (segment) paths.set(segment.type, (paths.get(segment.type) ?? '') + curve(segment))
  }
  return paths
}

export const livePaths = (wires: readonly Wire[], segmentOf: SegmentOf): LivePath[] =>
  wires.flatMap((wire) => {
    const segment = segmentOf(wire)
    return segment ? [{ key: wireKey(wire), type: segment.type, path: curve(segment) }] : []
  })

/** The wire under a point, or null. */
export function wireAt(
  graph: Graph,
  portsOf: PortsOf,
  point: Position,
  within: number,
): Wire | null {
  const segmentOf = createSegmentOf(graph, portsOf)
  let found: Wire | null = null
  let nearest = within
  for (const wire of graph.connections) {
    const segment = segmentOf(wire)
    if (!segment || !mayBeNear(segment, point, within)) continue
    const distance = distanceTo(segment, point)
    if (distance > nearest) continue
    nearest = distance
    found = wire
  }
  return found
}

/** The curve stays within this box, since it swings out by at most 160. */
const mayBeNear = (
  { from, to }: { from: Position; to: Position },
  { x, y }: Position,
  within: number,
): boolean =>
  x >= Math.min(from.x, to.x) - 160 - within &&
  x <= Math.max(from.x, to.x) + 160 + within &&
  y >= Math.min(from.y, to.y) - within &&
  y <= Math.max(from.y, to.y) + within
