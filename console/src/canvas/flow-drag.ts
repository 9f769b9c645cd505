import type { NodeChange } from '@xyflow/react'
import type { Actions } from './actions.ts'
import { insertOnWire } from './connect-rules.ts'
import { placeOf, sizeOf } from './geometry.ts'
import { type Connection, type Position, wireKey } from './graph.ts'
import type { CardNode } from './nodes/node-card.tsx'
import type { NoteNode } from './nodes/note-card.tsx'
import type { Session } from './session.ts'
import { nowhere } from './view-store.ts'
import { wireAt } from './wire-paths.ts'

type Drawn = CardNode | NoteNode

/** Half of a port's 28 px target: a node dropped this close to a wire is inserted into it. */
const dropReach = 14

/** Moving and selecting by pointer. The document changes once, when the nodes are dropped. */
export function dragHandlers({ store, view }: Session, actions: Actions) {
  const start = (_: unknown, __: Drawn | null, nodes: Drawn[]) =>
    view.setState({ dragged: new Set(nodes.map((node) => node.id)), refusal: null })

  function end() {
    const { moved } = view.getState()
    if (moved.size > 0) actions.drop(moved, wireUnder())
    view.setState({ dragged: new Set(), moved: nowhere, dropWire: null })
  }

  /** The wire under a single dragged node that is not connected yet and fits into it. */
  function wireUnder(): Connection | null {
    const { dragged, moved, portsOf, types } = view.getState()
    const [id = ''] = dragged
    if (dragged.size !== 1) return null
    const { graph } = store.getState().history.doc
    const isAlone = !graph.connections.some((wire) => wire.source === id || wire.target === id)
    const node = isAlone && graph.nodes.find((one) => one.id === id)
    if (!node) return null
    const { width, height } = sizeOf(node, portsOf(node))
    const { x, y } = moved.get(id) ?? placeOf(node)
    const middle = { x: x + width / 2, y: y + height / 2 }
    const wire = wireAt(graph, portsOf, middle, Math.max(dropReach, height / 2))
    return wire && insertOnWire(graph, wire, id, { types, portsOf }) ? wire : null
  }

  return {
    onNodesChange(changes: NodeChange<Drawn>[]) {
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
      if (to.size > 0) view.setState({ moved: to })
      if (isSelection) {
        const { wires } = store.getState().selection
        store.getState().select(nodes.size > 0 ? { nodes } : { wires })
      }
    },
    onNodeDragStart: start,
    onNodeDrag() {
      const wire = wireUnder()
      const dropWire = wire ? wireKey(wire) : null
      if (dropWire !== view.getState().dropWire) view.setState({ dropWire })
    },
    onNodeDragStop: end,
    onSelectionDragStart: (event: unknown, nodes: Drawn[]) => start(event, null, nodes),
    onSelectionDragStop: end,
    onNodeMouseEnter: (_: unknown, { id }: Drawn) => view.setState({ hovered: id }),
    onNodeMouseLeave: () => view.setState({ hovered: null }),
  }
}
