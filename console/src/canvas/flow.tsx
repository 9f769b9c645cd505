import '@xyflow/react/dist/base.css'
import './canvas.css'
import { Background, ReactFlow, type ReactFlowProps, useReactFlow, useStore } from '@xyflow/react'
import { type RefObject, useLayoutEffect, useMemo, useRef } from 'react'
import type { Actions } from './actions.ts'
import { handleCanvasKey } from './canvas-keys.ts'
import { useCanvasUi } from './canvas-ui.ts'
import { useCanvas, useSessionOf, useView } from './context.ts'
import { dropHandlers } from './drop.ts'
import { EmptyGraph } from './empty-graph.tsx'
import { connectHandlers } from './flow-connect.ts'
import { dragHandlers } from './flow-drag.ts'
import { menuHandlers } from './flow-menu.ts'
import { FollowNode } from './follow-node.tsx'
import type { Position } from './graph.ts'
import { Groups } from './groups.tsx'
import { NewWire } from './new-wire.tsx'
import { type CardNode, NodeCard } from './nodes/node-card.tsx'
import { NoteCard, type NoteNode } from './nodes/note-card.tsx'
import { manyNodes, OverviewMap } from './overview-map.tsx'
import { useCardNodes } from './use-card-nodes.ts'
import { Wires } from './wires.tsx'

/**
 * What is painted of a card, by the zoom below which it holds: details are illegible at half size;
 * names fit at twice their size down to 0.36, and then take the whole card until it is 40 px wide.
 */
const distances = [
  [0.18, 'specks'],
  [0.36, 'farther'],
  [0.5, 'far'],
] as const
/** Below this zoom, what matters most of a card is written larger. */
const smallBelow = 0.65
/** Until a large graph is fitted into its frame: painting texts that nobody reads takes a second. */
const fromAfar = { x: 0, y: 0, zoom: 0.1 }
const fromNear = { x: 0, y: 0, zoom: 1 }

// The library's keyboard handling is off: the graph has its own keys. Wires are drawn as paths in
// one layer, so the library gets no edges.
const settings = {
  nodeTypes: { card: NodeCard, note: NoteCard },
  edges: [],
  connectionLineComponent: NewWire,
  connectionRadius: 24,
  connectOnClick: false,
  deleteKeyCode: null,
  disableKeyboardA11y: true,
  nodesFocusable: false,
  edgesFocusable: false,
  zoomOnDoubleClick: false,
  panOnScroll: true,
  minZoom: 0.1,
  maxZoom: 2,
  proOptions: { hideAttribution: true },
} satisfies Partial<ReactFlowProps<CardNode | NoteNode>>

const lookingOnly = { nodesDraggable: false, nodesConnectable: false }

type FlowProps = {
  actions: Actions
  /** The pointer's position in the graph, used for pasting and adding. */
  pointer: RefObject<Position | null>
  onInspect(): void
  /** A file that was dropped on the graph. */
  onFile(file: File): void
}

export function Flow({ actions, pointer, onInspect, onFile }: FlowProps) {
  const session = useSessionOf()
  const ui = useCanvasUi()
  const flow = useReactFlow()
  const frame = useRef<HTMLDivElement>(null)
  const nodes = useCardNodes()
  const [focused] = useCanvas((state) => state.selection.nodes)
  const isConnecting = useView((state) => state.connecting !== null)
  const drag = useMemo(() => dragHandlers(session, actions), [session, actions])
  const wiring = useMemo(
    () => connectHandlers(session, actions, flow.screenToFlowPosition),
    [session, actions, flow],
  )
  const drop = useMemo(
    () => dropHandlers(session, { actions, toFlow: flow.screenToFlowPosition, onFile, ui }),
    [session, actions, flow, onFile, ui],
  )
  const menu = useMemo(
    () => menuHandlers(session, { toFlow: flow.screenToFlowPosition, zoom: flow.getZoom }),
    [session, flow],
  )
  const pick = (event: React.MouseEvent) => {
    menu.selectWireAt({ x: event.clientX, y: event.clientY })
    session.view.setState({ refusal: null })
  }
  return (
    <div
      ref={frame}
      className="relative h-full min-h-0 min-w-0 grow"
      data-connecting={isConnecting || undefined}
      onPointerMove={(event) => {
        pointer.current = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY })
      }}
      onPointerLeave={() => {
        pointer.current = null
      }}
      onPointerDown={({ target }) => {
        // It keeps the focus that it takes.
        if (isTool(target)) return
        frame.current?.querySelector<HTMLElement>('.react-flow')?.focus({ preventScroll: true })
      }}
    >
      {/* Its element has the role of an application: a single tab stop with its own keys. */}
      <ReactFlow
        tabIndex={0}
        aria-label="Workflow graph"
        aria-roledescription="graph editor"
        aria-activedescendant={focused === undefined ? undefined : `node-${focused}`}
        onKeyDown={(event) => handleCanvasKey(event, { session, actions, ui, onInspect })}
        {...shown(nodes)}
        {...settings}
        {...drag}
        {...wiring}
        {...menu.handlers}
        {...(session.isReadOnly ? lookingOnly : drop)}
        onPaneClick={pick}
        onDoubleClick={(event) => {
          if (!(event.target as Element).classList.contains('react-flow__pane')) return
          const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY })
          session.view.setState({ picker: { at, loose: null } })
        }}
        onNodeClick={({ target }) => isTool(target) || ui.showNode()}
        onNodeDoubleClick={onInspect}
      >
        <Background gap={24} size={1.5} color="var(--line)" />
        <Groups actions={actions} />
        <Wires />
        <FollowNode id={focused ?? null} />
        <Distance frame={frame} />
        <OverviewMap />
      </ReactFlow>
      {nodes.length === 0 && !session.isReadOnly && <EmptyGraph />}
    </div>
  )
}

/** A tool or a button inside a node, which does what it does itself. */
const isTool = (target: EventTarget) => target instanceof Element && target.closest('.nodrag')

const shown = (nodes: (CardNode | NoteNode)[]) => ({
  nodes,
  defaultViewport: nodes.length >= manyNodes ? fromAfar : fromNear,
})

/** Marks a frame whose texts are illegible, without drawing the graph anew. */
function Distance({ frame }: { frame: RefObject<HTMLDivElement | null> }) {
  const far = useStore(
    ({ transform: [, , zoom] }) => distances.find(([below]) => zoom < below)?.[1],
  )
  const isSmall = useStore(({ transform: [, , zoom] }) => zoom < smallBelow)
  useLayoutEffect(() => {
    frame.current?.toggleAttribute('data-small', isSmall)
  }, [frame, isSmall])
  useLayoutEffect(() => {
    if (far) frame.current?.setAttribute('data-far', far)
    else frame.current?.removeAttribute('data-far')
  }, [frame, far])
  return null
}
