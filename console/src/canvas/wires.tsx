import { memo, useMemo } from 'react'
import { useCanvas, useGraph, useView } from './context.ts'
import { createSegmentOf, placeOf } from './geometry.ts'
import { type Connection, type Graph, type Position, wireKey } from './graph.ts'
import type { Selection } from './store.ts'
import type { ViewState } from './view-store.ts'
import { WireLayer } from './wire-layer.tsx'
import { joinedPaths, livePaths } from './wire-paths.ts'

/** At more nodes wires are not live: nothing would stand out, and a thousand elements are slow. */
const fewNodes = 20

/** Wires at a hovered, selected or dragged node are live. A step of a drag computes only these. */
export const Wires = memo(function Wires() {
  const graph = useGraph()
  const portsOf = useView((state) => state.portsOf)
  const selection = useCanvas((state) => state.selection)
  const hovered = useView((state) => state.hovered)
  const dragged = useView((state) => state.dragged)
  const dropWire = useView((state) => state.dropWire)
  const moved = useView((state) => state.moved)
  const { live, ...still } = useMemo(() => {
    const wires = Map.groupBy(
      graph.connections,
      createKindOf(selection, { hovered, dragged, dropWire }),
    )
    const segmentOf = createSegmentOf(graph, portsOf)
    return {
      resting: joinedPaths(wires.get('resting') ?? [], segmentOf),
      carried: joinedPaths(wires.get('carried') ?? [], segmentOf),
      live: wires.get('live') ?? [],
    }
  }, [graph, portsOf, selection, hovered, dragged, dropWire])
  const bent = useMemo(() => {
    const place = (node: Graph['nodes'][number]) => moved.get(node.id) ?? placeOf(node)
    return livePaths(live, createSegmentOf(graph, portsOf, place))
  }, [graph, portsOf, live, moved])
  return (
    <WireLayer
      paths={{ ...still, live: bent }}
      by={distance(graph, moved)}
      isChosen={(key) => selection.wires.has(key) || key === dropWire}
    />
  )
})

type Kind = 'resting' | 'carried' | 'live'
type Pointer = Pick<ViewState, 'hovered' | 'dragged' | 'dropWire'>

/** Wires between many dragged nodes keep their form: they are carried along as a whole. */
function createKindOf({ nodes, wires }: Selection, { hovered, dragged, dropWire }: Pointer) {
  const isMany = nodes.size > fewNodes || dragged.size > fewNodes
  const isNear = (id: string) => dragged.has(id) || (!isMany && (id === hovered || nodes.has(id)))
  return (wire: Connection): Kind => {
    const key = wireKey(wire)
    if (wires.has(key) || key === dropWire) return 'live'
    if (isMany && dragged.has(wire.source) && dragged.has(wire.target)) return 'carried'
    return isNear(wire.source) || isNear(wire.target) ? 'live' : 'resting'
  }
}

/** All dragged nodes move by the same distance. */
function distance(graph: Graph, moved: ReadonlyMap<string, Position>): Position {
  const [first] = moved
  const node = first && graph.nodes.find(({ id }) => id === first[0])
  if (!node) return { x: 0, y: 0 }
  const from = placeOf(node)
  return { x: first[1].x - from.x, y: first[1].y - from.y }
}
