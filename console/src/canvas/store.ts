// The state of one open canvas. Components read slices of it; every change goes through `edit` with
// its intention, so that undo can name it. It never calls the server.
import { createStore } from 'zustand/vanilla'
import type { Doc, Graph } from './graph.ts'
import {
  endBurst,
  type History,
  type Intention,
  record,
  redo,
  startHistory,
  undo,
} from './history.ts'

export type Selection = { readonly nodes: ReadonlySet<string>; readonly wires: ReadonlySet<string> }

export type CanvasState = {
  readonly history: History<Doc>
  /** The document in the last saved version; null if there is none. */
  readonly saved: Doc | null
  readonly selection: Selection
  edit(intention: Intention, change: (doc: Doc) => Doc): void
  editGraph(intention: Intention, change: (graph: Graph) => Graph): void
  endBurst(): void
  /** The label of the undone step, or null if there was none. */
  undo(): string | null
  redo(): string | null
  select(selection: Partial<Selection>): void
  markSaved(doc: Doc): void
}

const nothing: ReadonlySet<string> = new Set()
export const noSelection: Selection = { nodes: nothing, wires: nothing }

type Options = { isReadOnly?: boolean }

/** If read-only, every edit is ignored, whatever calls it: the document stays as it was opened. */
export const createCanvasStore = (
  doc: Doc,
  saved: Doc | null,
  nowMs: () => number,
  { isReadOnly = false }: Options = {},
) =>
  createStore<CanvasState>()((set, get) => {
    const move = (step: typeof undo<Doc>, labels: 'past' | 'future') => {
      const { history } = get()
      const label = (labels === 'past' ? history.past.at(-1) : history.future[0])?.label ?? null
      if (label === null) return null
      const next = step(history)
      set({ history: next, selection: changedNodes(history.doc.graph, next.doc.graph) })
      return label
    }
    return {
      history: startHistory(doc),
      saved,
      selection: noSelection,
      edit(intention, change) {
        if (isReadOnly) return
        const { history } = get()
        const next = record(history, change(history.doc), intention, nowMs())
        if (next !== history) set({ history: next })
      },
      editGraph(intention, change) {
        get().edit(intention, (before) => {
          const graph = change(before.graph)
          return graph === before.graph ? before : { ...before, graph }
        })
      },
      endBurst: () => set(({ history }) => ({ history: endBurst(history) })),
      undo: () => move(undo, 'past'),
      redo: () => move(redo, 'future'),
      select: ({ nodes = nothing, wires = nothing }) => set({ selection: { nodes, wires } }),
      markSaved: (doc) => set({ saved: doc }),
    }
  })

export type CanvasStore = ReturnType<typeof createCanvasStore>

/** After undo and redo, the affected nodes are selected, so that people see what happened. */
function changedNodes(before: Graph, after: Graph): Selection {
  const known = new Map(before.nodes.map((node) => [node.id, node]))
  const changed = after.nodes.filter((node) => known.get(node.id) !== node)
  return { nodes: new Set(changed.map((node) => node.id)), wires: nothing }
}
