import type {
  FinalConnectionState,
  Connection as FlowConnection,
  OnConnectStart,
} from '@xyflow/react'
import type { Actions } from './actions.ts'
import { type LooseEnd, portKey, refusals, wireBetween, wiresInto } from './connect-rules.ts'
import { placeOf, sizeOf } from './geometry.ts'
import type { GraphNode, Position } from './graph.ts'
import type { Port } from './node-types.ts'
import type { Session } from './session.ts'

type ToFlow = (at: Position) => Position

/**
 * Drawing wires by pointer: ports show in advance whether they fit, and after a drop why they do
 * not.
 */
export function connectHandlers(session: Session, actions: Actions, toFlow: ToFlow) {
  const { store, view } = session
  const onConnectStart: OnConnectStart = (_, { nodeId, handleId, handleType }) => {
    if (!nodeId || !handleId || !handleType) return
    const loose: LooseEnd = { nodeId, side: handleType, port: handleId }
    const { types, portsOf } = view.getState()
    const { graph } = store.getState().history.doc
    view.setState({
      connecting: { loose, refusals: refusals(graph, loose, { types, portsOf }) },
      refusal: null,
    })
  }

  function tryPort(loose: LooseEnd, nodeId: string, port: string) {
    const key = portKey(nodeId, loose.side === 'source' ? 'inputs' : 'outputs', port)
    const why = actions.connect(wireBetween(loose, nodeId, port))
    if (why) view.setState({ refusal: { key, why } })
  }

  /** Dropped on a card beside its ports. */
  function tryNode(loose: LooseEnd, all: ReadonlyMap<string, string | null>, node: GraphNode) {
    const port = portFor(session, loose, all, node)
    if (port) tryPort(loose, node.id, port.name)
  }

  function onConnectEnd(event: MouseEvent | TouchEvent, state: FinalConnectionState) {
    const { connecting } = view.getState()
    view.setState({ connecting: null })
    if (!connecting) return
    const { loose } = connecting
    const { toHandle } = state
    if (toHandle?.id) {
      const isOtherSide = toHandle.type !== loose.side
      if (isOtherSide) return tryPort(loose, toHandle.nodeId, toHandle.id)
      const key = portKey(
        toHandle.nodeId,
        loose.side === 'source' ? 'outputs' : 'inputs',
        toHandle.id,
      )
      const isItself = toHandle.nodeId === loose.nodeId && toHandle.id === loose.port
      const why = connecting.refusals.get(key)
      if (!isItself && why) view.setState({ refusal: { key, why } })
      return
    }
    const point = 'changedTouches' in event ? event.changedTouches[0] : event
    if (!point) return
    const at = toFlow({ x: point.clientX, y: point.clientY })
    const node = nodeAt(session, at)
    if (node) {
      // Dropped where it began: nothing was meant.
      if (node.id !== loose.nodeId) tryNode(loose, connecting.refusals, node)
      return
    }
    view.setState({ picker: { at, loose } })
  }

  return {
    onConnectStart,
    onConnectEnd,
    isValidConnection({ source, sourceHandle, target, targetHandle }: FlowConnection) {
      const { connecting } = view.getState()
      if (!connecting) return false
      const key =
        connecting.loose.side === 'source'
          ? portKey(target, 'inputs', targetHandle ?? '')
          : portKey(source, 'outputs', sourceHandle ?? '')
      return connecting.refusals.get(key) === null
    },
  }
}

/** The first port that accepts the wire, a free one if there is any. */
function portFor(
  { store, view }: Session,
  loose: LooseEnd,
  all: ReadonlyMap<string, string | null>,
  node: GraphNode,
): Port | undefined {
  const side = loose.side === 'source' ? 'inputs' : 'outputs'
  const { graph } = store.getState().history.doc
  const { portsOf } = view.getState()
  const ports = portsOf(node)[side]
  const fit = ports.filter(({ name }) => all.get(portKey(node.id, side, name)) === null)
  const isFree = (port: Port) =>
    side === 'outputs' || wiresInto(graph, node, port, portsOf).length === 0
  return fit.find(isFree) ?? fit[0] ?? ports[0]
}

/** The library names a node only where one of its ports is close. */
function nodeAt({ store, view }: Session, { x, y }: Position): GraphNode | undefined {
  const { portsOf } = view.getState()
  return store.getState().history.doc.graph.nodes.findLast((node) => {
    const at = placeOf(node)
    const { width, height } = sizeOf(node, portsOf(node))
    return x >= at.x && x <= at.x + width && y >= at.y && y <= at.y + height
  })
}
