import { memo, useMemo } from 'react'
import { useCanvas, useGraph, useView } from './context.ts'
import { createSegmentOf, placeOf } from './geometry.ts'
import { type Connection, type Graph, type Position, wireKey } from './graph.ts'
import { WireLayer } from './wire-layer.tsx'
import { joinedPaths, livePaths } from './wire-paths.ts'

/** At more nodes wires are not live: nothing would stand out, and a thousand elements are slow. */
const fewNodes = 20

/** Wires at a hovered, selected or dragged node are live. A step of a drag computes only these. */
export const Wires = memo(function Wires() {
  const graph = useGraph()
  const portsOf = useView((state) => state.portsOf)
  const { nodes: selected, wires: chosen } = useCanvas((state) => state.selection)
  const hovered = useView((state) => state.hovered)
  const dragged = useView((state) => state.dragged)
  const dropWire = useView((state) => state.dropWire)
  const moved = useView((state) => state.moved)
  const near = useMemo(() => nearNodes(selected, dragged, hovered), [selected, dragged, hovered])
  const { live, ...still } = useMemo(() => {
    const wires = Map.groupBy(
      graph.connections,
      createKindOf({ near, dragged, isLive: (key) => chosen.has(key) || key === dropWire }),
    )
    const segmentOf = createSegmentOf(graph, portsOf)
    return {
      resting: joinedPaths(wires.get('resting') ?? [], segmentOf),
      carried: joinedPaths(wires.get('carried') ?? [], segmentOf),
      live: wires.get('live') ?? [],
    }
  }, [graph, portsOf, near, chosen, dragged, dropWire])
  const bent = useMemo(() => {
    const place = (node: Graph['nodes'][number]) => moved.get(node.id) ?? placeOf(node)
    return livePaths(live, createSegmentOf(graph, portsOf, place))
  }, [graph, portsOf, live, moved])
  return (
    <WireLayer
      paths={{ ...still, live: bent }}
      by={distance(graph, moved)}
      isChosen={(key) => chosen.has(key) || key === dropWire}
    />
  )
})

type Ids = ReadonlySet<string>

const none: Ids = new Set()

/** The nodes whose wires are live. Always the same set if it is empty: no path is made anew then. */
function nearNodes(selected: Ids, dragged: Ids, hovered: string | null): Ids {
  if (selected.size > fewNodes || dragged.size > fewNodes) return dragged.size > 0 ? dragged : none
  const near = new Set([...selected, ...dragged, ...(hovered === null ? [] : [hovered])])
  return near.size > 0 ? near : none
}

type Kind = 'resting' | 'carried' | 'live'
type Pointer = { near: Ids; dragged: Ids; isLive(key: string): boolean }

/** Wires between many dragged nodes keep their form: they are carried along as a whole. */
function createKindOf({ near, dragged, isLive }: Pointer) {
  const isMany = dragged.size > fewNodes
  return (wire: Connection): Kind => {
    if (isLive(wireKey(wire))) return 'live'
    if (isMany && dragged.has(wire.source) && dragged.has(wire.target)) return 'carried'
    return near.has(wire.source) || near.has(wire.target) ? 'live' : 'resting'
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
