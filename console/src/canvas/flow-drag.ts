import type { NodeChange } from '@xyflow/react'
import type { Actions } from './actions.ts'
import { insertOnWire } from './connect-rules.ts'
import { placeOf, sizeOf } from './geometry.ts'
import { type Connection, type Graph, type Position, wireKey } from './graph.ts'
import type { CardNode } from './nodes/node-card.tsx'
import type { Session } from './session.ts'
import { wireAt } from './wire-paths.ts'

/** Half of a port's 28 px target: a node dropped this close to a wire is inserted into it. */
const dropReach = 14

/** Moving and selecting by pointer. One drag is one undo step, whatever it moves. */
export function dragHandlers({ store, view }: Session, actions: Actions) {
  let drags = 0
  const graphNow = (): Graph => store.getState().history.doc.graph
  const nameOfDrag = () => `drag ${drags}`

  function start(_: unknown, __: CardNode | null, nodes: CardNode[]) {
    drags++
    view.setState({ dragged: new Set(nodes.map((node) => node.id)), refusal: null })
  }

  function end() {
    const { dragged, portsOf } = view.getState()
    const [only] = dragged
    const wire = only !== undefined && dragged.size === 1 ? wireUnder(only) : null
    if (wire && only !== undefined) actions.insert(only, wire, nameOfDrag())
    store.getState().endBurst()
    view.setState({ dragged: new Set(), dropWire: null, portsOf })
  }

  /** The wire under a node that is not connected yet and fits into it. */
  function wireUnder(id: string): Connection | null {
    const graph = graphNow()
    const { portsOf, types } = view.getState()
    const node = graph.nodes.find((one) => one.id === id)
    const isAlone = !graph.connections.some((wire) => wire.source === id || wire.target === id)
    if (!node || !isAlone) return null
    const { width, height } = sizeOf(node, portsOf(node))
    const { x, y } = placeOf(node)
    const middle = { x: x + width / 2, y: y + height / 2 }
    const wire = wireAt(graph, portsOf, middle, Math.max(dropReach, height / 2))
    return wire && insertOnWire(graph, wire, id, { types, portsOf }) ? wire : null
  }

  return {
    onNodesChange(changes: NodeChange<CardNode>[]) {
      const to = new Map<string, Position>()
      const nodes = new Set(store.getState().selection.nodes)
      let isSelection = false
      for (const change of changes) {
        if (change.type === 'position' && change.position) {
          to.set(change.id, { x: Math.round(change.position.x), y: Math.round(change.position.y) })
        } else if (change.type === 'select') {
          isSelection = true
          if (change.selected) nodes.add(change.id)
          else nodes.delete(change.id)
        }
      }
      if (to.size > 0) actions.drag(to, nameOfDrag())
      if (isSelection) {
        const { wires } = store.getState().selection
        store.getState().select({ nodes, wires: nodes.size > 0 ? new Set() : wires })
      }
    },
    onNodeDragStart: start,
    onNodeDrag() {
      const [only] = view.getState().dragged
      const wire = only !== undefined && view.getState().dragged.size === 1 ? wireUnder(only) : null
      const dropWire = wire ? wireKey(wire) : null
      if (dropWire !== view.getState().dropWire) view.setState({ dropWire })
    },
    onNodeDragStop: end,
    onSelectionDragStart: (event: unknown, nodes: CardNode[]) => start(event, null, nodes),
    onSelectionDragStop: end,
    onNodeMouseEnter: (_: unknown, { id }: CardNode) => view.setState({ hovered: id }),
    onNodeMouseLeave: () => view.setState({ hovered: null }),
  }
}
