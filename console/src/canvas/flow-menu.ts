import type { MouseEvent as ReactMouseEvent } from 'react'
import { type Position, wireKey } from './graph.ts'
import type { CardNode } from './nodes/node-card.tsx'
import type { NoteNode } from './nodes/note-card.tsx'
import type { Session } from './session.ts'
import { wireAt } from './wire-paths.ts'

type Drawn = CardNode | NoteNode

/** How close to a wire a click must be, in screen pixels. */
const wireReach = 8

type Env = { toFlow(at: Position): Position; zoom(): number }
type Event = MouseEvent | ReactMouseEvent

/** Right clicks: the menu is about what is selected, so a node that is not becomes it first. */
export function menuHandlers({ store, view }: Session, { toFlow, zoom }: Env) {
  const open = (event: Event) => {
    event.preventDefault()
    const screen = { x: event.clientX, y: event.clientY }
    view.setState({ menu: { screen, at: toFlow(screen) } })
  }
  const selectWireAt = (screen: Position) => {
    const { graph } = store.getState().history.doc
    const wire = wireAt(graph, view.getState().portsOf, toFlow(screen), wireReach / zoom())
    store.getState().select(wire ? { wires: new Set([wireKey(wire)]) } : {})
  }
  return {
    selectWireAt,
    handlers: {
      onNodeContextMenu(event: Event, { id }: Drawn) {
        if (!store.getState().selection.nodes.has(id)) {
          store.getState().select({ nodes: new Set([id]) })
        }
        open(event)
      },
      onSelectionContextMenu: open,
      onPaneContextMenu(event: Event) {
        selectWireAt({ x: event.clientX, y: event.clientY })
        open(event)
      },
    },
  }
}

/** The menu of the selected node, or of the graph, for somebody without a pointer. */
export function openMenuByKey({ store, view }: Session): void {
  const [id] = store.getState().selection.nodes
  const element = document.querySelector(
    id === undefined ? '.react-flow' : `#node-${CSS.escape(id)}`,
  )
  const box = element?.getBoundingClientRect()
  if (!box) return
  const screen =
    id === undefined
      ? { x: box.x + box.width / 2, y: box.y + box.height / 2 }
      : { x: box.x + 24, y: box.y + 24 }
  view.setState({ menu: { screen, at: { x: 0, y: 0 } } })
}
