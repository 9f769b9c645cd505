// All idle wires of one type are one path: a thousand elements would be laid out and painted one by
// one. Only wires at a hovered, selected or dragged node are separate elements.
import { createSegmentOf, curve, distanceTo } from './geometry.ts'
import { type Graph, type Position, wireKey } from './graph.ts'
import type { PortsOf } from './node-types.ts'

export type WirePaths = {
  /** The idle wires of each port type, joined into one path. */
  readonly resting: ReadonlyMap<string, string>
  readonly live: readonly { readonly key: string; readonly type: string; readonly path: string }[]
}

export function wirePaths(
  graph: Graph,
  portsOf: PortsOf,
  isLive: (wire: Graph['connections'][number]) => boolean,
): WirePaths {
  const segmentOf = createSegmentOf(graph, portsOf)
  const resting = new Map<string, string[]>()
  const live: { key: string; type: string; path: string }[] = []
  for (const wire of graph.connections) {
    const segment = segmentOf(wire)
    if (!segment) continue
    const path = curve(segment)
    if (isLive(wire)) {
      live.push({ key: wireKey(wire), type: segment.type, path })
      continue
    }
    const paths = resting.get(segment.type)
    if (paths) paths.push(path)
    else resting.set(segment.type, [path])
  }
  return {
    resting: new Map([...resting].map(([type, paths]) => [type, paths.join('')])),
    live,
  }
}

/** The wire under a point, or null. */
export function wireAt(
  graph: Graph,
  portsOf: PortsOf,
  point: Position,
  within: number,
): Graph['connections'][number] | null {
  const segmentOf = createSegmentOf(graph, portsOf)
  let found: Graph['connections'][number] | null = null
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
