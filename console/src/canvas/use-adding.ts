import type { Actions } from './actions.ts'
import { placeBeside } from './arrange.ts'
import { fittingPort, type LooseEnd, outputFor } from './connect-rules.ts'
import { useSessionOf } from './context.ts'
import { portOffset } from './geometry.ts'
import { findNode, type Position } from './graph.ts'
import { type NodeTypeInfo, portNamed } from './node-types.ts'
import type { Session } from './session.ts'

/**
 * Adds a node at the pointer. Without a pointer position it goes beside the selected node, and is
 * connected to it if it is the only one and their ports suit each other.
 */
export function useAdding(
  actions: Actions,
  { showAll, showNode }: { showAll(): void; showNode(): void },
) {
  const session = useSessionOf()
  const { store, view } = session
  return (info: NodeTypeInfo, at: Position | null, loose: LooseEnd | null = null) => {
    const { history, selection } = store.getState()
    const { graph } = history.doc
    const { types, portsOf } = view.getState()
    const [last = ''] = selection.nodes
    const selected = findNode(graph, last)
    if (at) actions.addNode(info, loose ? withPortAt(session, at, info, loose) : at, loose)
    else {
      const from =
        selected && selection.nodes.size === 1
          ? outputFor(graph, selected, info, { types, portsOf })
          : null
      actions.addNode(info, placeBeside(graph, portsOf, selected ?? graph.nodes.at(-1)), from)
    }
    // Without a pointer position the new node may be out of view.
    if (!at) showAll()
    showNode()
    view.setState({ picker: null })
  }
}

/** Where a node stands whose port is where the loose wire ends. */
function withPortAt(
  { store, view }: Session,
  at: Position,
  info: NodeTypeInfo,
  { nodeId, side, port: name }: LooseEnd,
): Position {
  const { types, portsOf } = view.getState()
  const node = findNode(store.getState().history.doc.graph, nodeId)
  const [own, other] =
    side === 'source' ? (['outputs', 'inputs'] as const) : (['inputs', 'outputs'] as const)
  const port = node && portNamed(portsOf(node)[own], name)
  const fit = port && fittingPort(types, info, { side, port })
  const row = fit ? (info.ports?.[other].indexOf(fit) ?? 0) : 0
  const { x, y } = portOffset(other, row)
  return { x: at.x - x, y: at.y - y }
}
