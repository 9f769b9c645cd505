import { memo } from 'react'
import { useCanvas, useGraph, useView } from './context.ts'
import { wireKey } from './graph.ts'
import { WireLayer } from './wire-layer.tsx'
import { wirePaths } from './wire-paths.ts'

/** Wires at a hovered, selected or dragged node are live. */
export const Wires = memo(function Wires() {
  const graph = useGraph()
  const portsOf = useView((state) => state.portsOf)
  const hovered = useView((state) => state.hovered)
  const dragged = useView((state) => state.dragged)
  const dropWire = useView((state) => state.dropWire)
  const { nodes, wires } = useCanvas((state) => state.selection)
  const isNear = (id: string) => id === hovered || nodes.has(id) || dragged.has(id)
  // If nearly everything is selected nothing stands out, and a thousand elements would only be
  // slow.
  const isMany = nodes.size > 20
  const paths = wirePaths(graph, portsOf, (wire) => {
    const key = wireKey(wire)
    if (wires.has(key) || key === dropWire) return true
    if (isMany) return dragged.has(wire.source) || dragged.has(wire.target)
    return isNear(wire.source) || isNear(wire.target)
  })
  return <WireLayer paths={paths} isChosen={(key) => wires.has(key) || key === dropWire} />
})
