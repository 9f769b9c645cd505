import type {
  FinalConnectionState,
  Connection as FlowConnection,
  OnConnectStart,
} from '@xyflow/react'
import type { Actions } from './actions.ts'
import { type LooseEnd, portKey, refusals, wireBetween } from './connect-rules.ts'
import type { Position } from './graph.ts'
import type { Session } from './session.ts'

type ToFlow = (at: Position) => Position

/**
 * Drawing wires by pointer: ports show in advance whether they fit, and after a drop why they do
 * not.
 */
export function connectHandlers({ store, view }: Session, actions: Actions, toFlow: ToFlow) {
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

  /** Dropped on a card beside its ports: use the first port that accepts the wire. */
  function tryNode(loose: LooseEnd, all: ReadonlyMap<string, string | null>, nodeId: string) {
    const prefix = portKey(nodeId, loose.side === 'source' ? 'inputs' : 'outputs', '')
    const mine = [...all].filter(([key]) => key.startsWith(prefix))
    const [key] = mine.find(([, why]) => why === null) ?? mine[0] ?? []
    if (key !== undefined) tryPort(loose, nodeId, key.slice(prefix.length))
  }

  function onConnectEnd(event: MouseEvent | TouchEvent, state: FinalConnectionState) {
    const { connecting } = view.getState()
    view.setState({ connecting: null })
    if (!connecting) return
    const { loose } = connecting
    const { toHandle, toNode } = state
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
    if (toNode) return tryNode(loose, connecting.refusals, toNode.id)
    const at = 'changedTouches' in event ? event.changedTouches[0] : event
    if (!at) return
    view.setState({ picker: { at: toFlow({ x: at.clientX, y: at.clientY }), loose } })
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
