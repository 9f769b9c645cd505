// Where results have room below their nodes. A result never covers a node or another result: without
// room it stays folded. Pure; computed after a drop or a run, not while something moves.
import { placeOf, sizeOf } from '#console/canvas/geometry.ts'
import type { Graph } from '#console/canvas/graph.ts'
import type { PortsOf } from '#console/canvas/node-types.ts'
import { type Preview, previewsAt, type ShownRuns } from './shown-run.ts'

type Box = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const textTray = 64
const mediaTray = 132
/** What stays free around a result. */
const margin = 8

const trayHeight = (previews: readonly Preview[] | undefined): number =>
  previews?.some(({ media }) => media.length > 0) ? mediaTray : textTray

/** How high the result of each node is that has something to show. */
export function heightsOf({ run, pins }: Pick<ShownRuns, 'run' | 'pins'>): Map<string, number> {
  const waits = run?.state.waits.filter(({ status }) => status === 'OPEN') ?? []
  const ids = new Set([
    ...Object.keys(run?.previews ?? {}),
    ...Object.keys(pins),
    ...(run?.state.run.nodeErrors ?? []).map(({ nodeId }) => nodeId),
    ...waits.map(({ nodeId }) => nodeId),
  ])
  return new Map([...ids].map((id) => [id, trayHeight(previewsAt({ run, pins }, id))]))
}

/** The nodes whose results can be shown; `heights` has those that have one to show. */
export function roomFor(
  graph: Graph,
  portsOf: PortsOf,
  heights: ReadonlyMap<string, number>,
): Set<string> {
  const taken: Box[] = graph.nodes.map((node) => ({
    ...placeOf(node),
    ...sizeOf(node, portsOf(node)),
  }))
  const open = new Set<string>()
  graph.nodes.forEach((node, index) => {
    const height = heights.get(node.id)
    const own = taken[index]
    if (height === undefined || !own) return
    const tray = { x: own.x, y: own.y + own.height, width: own.width, height }
    if (taken.some((box) => box !== own && isNear(box, tray))) return
    open.add(node.id)
    taken.push(tray)
  })
  return open
}

const isNear = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width + margin &&
  b.x < a.x + a.width + margin &&
  a.y < b.y + b.height + margin &&
  b.y < a.y + a.height + margin
