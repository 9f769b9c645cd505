import { ReactFlowProvider, useReactFlow } from '@xyflow/react'
import {
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type Actions, createActions } from './actions.ts'
import { SessionContext, useCanvas, useSessionOf, useView } from './context.ts'
import { Flow } from './flow.tsx'
import type { Graph, Position } from './graph.ts'
import { Notice } from './notice.tsx'
import { Palette } from './palette.tsx'
import type { PanelName } from './panel-name.ts'
import { ProblemsDrawer } from './problems-drawer.tsx'
import type { Session } from './session.ts'
import { SidePanels } from './side-panels.tsx'
import { TopBar } from './top-bar.tsx'
import { useAdding } from './use-adding.ts'
import { useCanvasShortcuts } from './use-canvas-shortcuts.ts'
import { type InspectorState, useInspector } from './use-inspector.ts'
import { useNarrow } from './use-narrow.ts'
import { ViewControls } from './view-controls.tsx'

// Panels and dialogs are loaded when first opened, so that the graph does not wait for them.
const ConnectDialog = lazy(async () => ({
  default: (await import('./connect-dialog.tsx')).ConnectDialog,
}))
const NodePicker = lazy(async () => ({ default: (await import('./node-picker.tsx')).NodePicker }))
const ListView = lazy(async () => ({ default: (await import('./list-view.tsx')).ListView }))

export type EditorProps = {
  session: Session
  /** From the address. */
  panel: PanelName | null
  onPanel(panel: PanelName | null): void
  onSelect(nodeId: string | null): void
  isSaving: boolean
  onSave(): void
  onRun(): void
  onRestore(version: number, graph: Graph): Promise<void>
  onExport(): void
  onImport(): void
  onFile(file: File): void
  /** Notes above the graph: that this is a draft, why saving failed. */
  notes: ReactNode
}

export function Editor(props: EditorProps) {
  return (
    <SessionContext value={props.session}>
      <ReactFlowProvider>
        <Body {...props} />
      </ReactFlowProvider>
    </SessionContext>
  )
}

type ViewName = 'graph' | 'list'

function Body({
  session,
  panel,
  onPanel,
  onSelect,
  notes,
  onRestore,
  onFile,
  ...bar
}: EditorProps) {
  const flow = useReactFlow()
  const showAll = useCallback(
    () => requestAnimationFrame(() => void flow.fitView({ maxZoom: 1, padding: 0.15 })),
    [flow],
  )
  const actions = useMemo(() => createActions(session, showAll), [session, showAll])
  const pointer = useRef<Position | null>(null)
  const isNarrow = useNarrow()
  const [chosenView, setView] = useState<ViewName | null>(null)
  const view = chosenView ?? (isNarrow ? 'list' : 'graph')
  const isPanelBeside = panel === 'versions' || panel === 'json'
  const closePanel = () => onPanel(null)
  const inspector = useInspector({ isNarrow, isPanelBeside, closePanel })
  const add = useAdding(actions, showAll)
  const openPicker = () => session.view.setState({ picker: { at: pointer.current, loose: null } })
  useSelectionInAddress(onSelect)
  useCanvasShortcuts({ ...bar, actions, pointer, onProblem: () => onPanel('problems') })
  return (
    <div className="flex h-[calc(100dvh-48px)] min-h-96 flex-col max-md:h-[calc(100dvh-112px)]">
      <TopBar
        {...bar}
        actions={actions}
        view={view}
        onView={setView}
        onAdd={openPicker}
        onVersions={session.base.workflowId === null ? null : () => onPanel('versions')}
        onJson={() => onPanel('json')}
      />
      {notes}
      <Notice />
      <div className="relative flex min-h-0 grow">
        {!isNarrow && !session.isReadOnly && <Palette onAdd={(info) => add(info, null)} />}
        {!(isNarrow && (inspector.isShown || isPanelBeside)) && (
          <Middle {...{ view, actions, pointer, inspector, onFile, openPicker }} />
        )}
        <SidePanels {...{ actions, panel, inspector, onRestore }} onClose={closePanel} />
      </div>
      <ProblemsDrawer
        isOpen={panel === 'problems'}
        onToggle={() => onPanel(panel === 'problems' ? null : 'problems')}
        onGo={(problem) => {
          session.view.setState({ currentProblem: problem })
          if (problem.nodeId === undefined) return
          session.store.getState().select({ nodes: new Set([problem.nodeId]) })
          void flow.fitView({ nodes: [{ id: problem.nodeId }], maxZoom: 1, duration: 200 })
          inspector.open()
        }}
      />
      {!session.isReadOnly && <Dialogs actions={actions} add={add} />}
    </div>
  )
}

/** The address names the selected node if nothing else is selected. */
function useSelectionInAddress(onSelect: EditorProps['onSelect']) {
  const only = useCanvas(({ selection: { nodes, wires } }) => {
    const [first] = nodes
    return nodes.size + wires.size === 1 ? (first ?? null) : null
  })
  useEffect(() => onSelect(only), [only, onSelect])
}

type MiddleProps = {
  view: ViewName
  actions: Actions
  pointer: RefObject<Position | null>
  inspector: InspectorState
  onFile(file: File): void
  openPicker(): void
}

/** The graph, drawn or as a list. */
function Middle({ view, actions, pointer, inspector, onFile, openPicker }: MiddleProps) {
  const { store } = useSessionOf()
  const inspect = (id: string) => {
    store.getState().select({ nodes: new Set([id]) })
    inspector.open()
  }
  return (
    <div className="relative flex min-h-0 min-w-0 grow flex-col">
      {view === 'graph' ? (
        <>
          <Flow actions={actions} pointer={pointer} onInspect={inspector.open} onFile={onFile} />
          <ViewControls actions={actions} />
        </>
      ) : (
        <Suspense>
          <ListView onOpen={inspect} onAdd={openPicker} />
        </Suspense>
      )}
    </div>
  )
}

function Dialogs({ actions, add }: { actions: Actions; add: ReturnType<typeof useAdding> }) {
  const { view } = useSessionOf()
  const isPicking = useView((state) => state.picker !== null)
  const isConnecting = useView((state) => state.connectFrom !== null)
  return (
    <Suspense>
      {isPicking && (
        <NodePicker
          onAdd={(info, picker) => add(info, picker.at, picker.loose)}
          onClose={() => view.setState({ picker: null })}
        />
      )}
      {isConnecting && <ConnectDialog actions={actions} />}
    </Suspense>
  )
}
