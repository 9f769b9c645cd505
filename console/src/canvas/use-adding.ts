import type { Actions } from './actions.ts'
import { placeBeside } from './arrange.ts'
import type { LooseEnd } from './connect-rules.ts'
import { useSessionOf } from './context.ts'
import { findNode, type Position } from './graph.ts'
import type { NodeTypeInfo } from './node-types.ts'

/** Adds a node at the pointer, or beside the selected node if there is no pointer position. */
export function useAdding(
  actions: Actions,
  { showAll, showNode }: { showAll(): void; showNode(): void },
) {
  const { store, view } = useSessionOf()
  return (info: NodeTypeInfo, at: Position | null, loose: LooseEnd | null = null) => {
    const { history, selection } = store.getState()
    const { graph } = history.doc
    const [last = ''] = selection.nodes
    const beside = findNode(graph, last) ?? graph.nodes.at(-1)
    actions.addNode(info, at ?? placeBeside(graph, view.getState().portsOf, beside), loose)
    // Without a pointer position the new node may be out of view.
    if (!at) showAll()
    showNode()
    view.setState({ picker: null })
  }
}
