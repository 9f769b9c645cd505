import type { DragEvent } from 'react'
import type { Actions } from './actions.ts'
import type { CanvasUi } from './canvas-ui.ts'
import { cardWidth } from './geometry.ts'
import type { Position } from './graph.ts'
import { typeInfo } from './node-types.ts'
import type { Session } from './session.ts'
import { wireAt } from './wire-paths.ts'

/** The data format in which the palette puts a node type into a drag. */
export const dragFormat = 'application/x-atelier-node'

/** Half of a port's 28 px target: a node dropped this close to a wire is inserted into it. */
const reach = 14

type Env = {
  actions: Actions
  toFlow(at: Position): Position
  onFile(file: File): void
  ui: Pick<CanvasUi, 'showNode'>
}

/**
 * A type dragged from the palette becomes a node where it is dropped, or is inserted into the wire
 * there; a file is imported.
 */
export function dropHandlers({ store, view }: Session, { actions, toFlow, onFile, ui }: Env) {
  return {
    onDragOver(event: DragEvent) {
      const { types } = event.dataTransfer
      if (!types.includes(dragFormat) && !types.includes('Files')) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
    },
    onDrop(event: DragEvent) {
      const [file] = event.dataTransfer.files
      if (file) {
        event.preventDefault()
        return onFile(file)
      }
      const info = typeInfo(view.getState().types, event.dataTransfer.getData(dragFormat))
      if (!info) return
      event.preventDefault()
      const at = toFlow({ x: event.clientX, y: event.clientY })
      const { graph } = store.getState().history.doc
      const wire = wireAt(graph, view.getState().portsOf, at, reach)
      const id = actions.addNode(info, { x: at.x - cardWidth / 2, y: at.y - 28 })
      if (wire && id !== null) actions.insert(id, wire)
      ui.showNode()
    },
  }
}
