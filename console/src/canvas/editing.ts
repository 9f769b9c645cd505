import type { Graph } from './graph.ts'
import { heightsOf } from './run/room.ts'
import type { Session } from './session.ts'

/** The open document, as all actions see and change it. */
export function editingOf({ store, view, shown, say }: Session) {
  return {
    /** How much room the results below the nodes take. */
    below: () => heightsOf(shown.getState()),
    say,
    graphNow: (): Graph => store.getState().history.doc.graph,
    selected: () => store.getState().selection,
    select: (nodes: ReadonlySet<string>) => store.getState().select({ nodes }),
    models: () => view.getState().models,
    env: () => ({ types: view.getState().types, portsOf: view.getState().portsOf }),
    edit: (label: string, change: (graph: Graph) => Graph, burst?: string) =>
      store.getState().editGraph({ label, ...(burst ? { burst } : {}) }, change),
    undo: () => store.getState().undo(),
    redo: () => store.getState().redo(),
  }
}

export type Editing = ReturnType<typeof editingOf>
