import { useReactFlow } from '@xyflow/react'
import { type PointerEvent, useRef } from 'react'
import type { Actions } from './actions.ts'
import { useSessionOf } from './context.ts'
import type { Group } from './drawings.ts'
import { placeOf } from './geometry.ts'
import type { Position } from './graph.ts'
import { nowhere } from './view-store.ts'

/** A press that moves less than this is a click. */
const clickPx = 3

type Grip = { readonly pointer: Position; readonly places: ReadonlyMap<string, Position> }

/** The title of a group: a press selects its nodes, a drag moves them as one step. */
export function useTitleDrag(group: Group, actions: Actions) {
  const { store, view, isReadOnly } = useSessionOf()
  const flow = useReactFlow()
  const grip = useRef<Grip | null>(null)
  const select = () => store.getState().select({ nodes: new Set(group.nodes) })
  const end = () => {
    const { moved } = view.getState()
    if (grip.current && moved.size > 0) actions.drop(moved, null)
    grip.current = null
    view.setState({ dragged: new Set(), moved: nowhere })
  }
  return {
    onClick: select,
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return
      select()
      if (isReadOnly) return
      event.currentTarget.setPointerCapture(event.pointerId)
      const ids = new Set(group.nodes)
      const nodes = store.getState().history.doc.graph.nodes.filter(({ id }) => ids.has(id))
      grip.current = {
        pointer: { x: event.clientX, y: event.clientY },
        places: new Map(nodes.map((node) => [node.id, placeOf(node)])),
      }
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      if (!grip.current) return
      const { pointer, places } = grip.current
      const [dx, dy] = [clientX - pointer.x, clientY - pointer.y]
      const isDragged = view.getState().moved.size > 0
      if (!isDragged && Math.hypot(dx, dy) < clickPx) return
      const zoom = flow.getZoom()
      const moved = [...places].map(([id, { x, y }]): [string, Position] => [
        id,
        { x: Math.round(x + dx / zoom), y: Math.round(y + dy / zoom) },
      ])
      if (!isDragged) view.setState({ dragged: new Set(places.keys()) })
      view.setState({ moved: new Map(moved) })
    },
    onPointerUp: end,
    onPointerCancel: end,
  }
}
