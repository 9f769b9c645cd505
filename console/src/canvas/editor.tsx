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
import { type Actions, createActions, readOnlyWords } from './actions.ts'
import { CanvasUiContext } from './canvas-ui.ts'
import { SessionContext, useCanvas, useSessionOf, useView } from './context.ts'
import { Flow } from './flow.tsx'
import type { Graph, Position } from './graph.ts'
import { Notice } from './notice.tsx'
import { Palette } from './palette.tsx'
import type { PanelName } from './panel-name.ts'
import { ProblemsDrawer } from './problems-drawer.tsx'
import type { ShownRunAddress } from './run/run-address.ts'
import { useRoom } from './run/use-room.ts'
import type { Session } from './session.ts'
import { SidePanels } from './side-panels.tsx'
import { TopBar } from './top-bar.tsx'
import { useAdding } from './use-adding.ts'
import { useCanvasCommands } from './use-canvas-commands.ts'
import { useCanvasShortcuts } from './use-canvas-shortcuts.ts'
import { useNarrow } from './use-narrow.ts'
import { type Panels, usePanels } from './use-panels.ts'
import { ViewControls } from './view-controls.tsx'
import { wholeGraph } from './view-within.ts'

// Panels and dialogs are loaded when first opened, so that the graph does not wait for them.
const ConnectDialog = lazy(async () => ({
  default: (await import('./connect-dialog.tsx')).ConnectDialog,
}))
const NodePicker = lazy(async () => ({ default: (await import('./node-picker.tsx')).NodePicker }))
const ExplainDialog = lazy(async () => ({
  default: (await import('./explain-dialog.tsx')).ExplainDialog,
}))
const CallDialog = lazy(async () => ({ default: (await import('./call-dialog.tsx')).CallDialog }))
const GraphMenu = lazy(async () => ({ default: (await import('./graph-menu.tsx')).GraphMenu }))
const RunStrip = lazy(async () => ({ default: (await import('./run/run-strip.tsx')).RunStrip }))
const RunWatcher = lazy(async () => ({
  default: (await import('./run/run-watcher.tsx')).RunWatcher,
}))
const ListView = lazy(async () => ({ default: (await import('./list-view.tsx')).ListView }))

export type EditorProps = {
  session: Session
  /** From the address. */
  panel: PanelName | null
  onPanel(panel: PanelName | null): void
  onSelect(nodeId: string | null): void
  isSaving: boolean
  onSave(): void
  /** Makes a workflow of a graph that has none, then opens the panel; false if it was not saved. */
  onSaveFirst(next: PanelName): Promise<boolean>
  /** The run whose results are on the nodes, from the address. */
  shown: ShownRunAddress
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

function Body(props: EditorProps) {
  const { session, panel, onPanel, onSelect, notes, onFile, shown, onSaveFirst, ...rest } = props
  const { onRestore, ...bar } = rest
  const flow = useReactFlow()
  const showAll = useCallback(
    () => requestAnimationFrame(() => void flow.fitView(wholeGraph)),
    [flow],
  )
  const actions = useMemo(() => createActions(session, showAll), [session, showAll])
  const pointer = useRef<Position | null>(null)
  const isNarrow = useNarrow()
  const [chosenView, setView] = useState<ViewName | null>(null)
  const view = chosenView ?? (isNarrow ? 'list' : 'graph')
  const panels = usePanels({ isNarrow, panel, onPanel })
  const { inspector, ui } = panels
  // The tab of the settings may be before that of the run.
  const isRunBehind = panel === 'run' && panels.isShared && panels.side === 'node'
  const isRunOpen = panel === 'run' && !isRunBehind
  const add = useAdding(actions, { showAll, showNode: ui.showNode })
  const [dialog, setDialog] = useState<'explain' | 'call' | null>(null)
  const openPicker = () => session.view.setState({ picker: { at: pointer.current, loose: null } })
  const onRun = useRunButton(props, panels)
  const hasWorkflow = session.base.workflowId !== null
  const onTriggers = triggersButton(props, panels)
  useCanvasCommands({ actions, add, onRun, onTriggers })
  useSelectionInAddress(onSelect)
  useRoom()
  useCanvasShortcuts({
    ...bar,
    ...{ actions, pointer, ui, shown, onRun },
    onProblem: () => onPanel('problems'),
  })
  return (
    <CanvasUiContext value={ui}>
      <div className="flex h-[calc(100dvh-48px)] min-h-96 flex-col max-md:h-[calc(100dvh-112px)]">
        <TopBar
          {...bar}
          actions={actions}
          view={view}
          onView={setView}
          isRunOpen={isRunOpen}
          onRun={() => (isRunOpen ? panels.closeRun() : isRunBehind ? panels.openRun() : onRun())}
          onAdd={openPicker}
          onVersions={hasWorkflow ? () => panels.openPanel('versions') : null}
          onTriggers={onTriggers}
          onJson={() => panels.openPanel('json')}
          onExplain={() => setDialog('explain')}
          onCall={hasWorkflow ? () => setDialog('call') : null}
        />
        {notes}
        <Notice />
        <Suspense>
          {shown.runId && <RunWatcher key={shown.runId} runId={shown.runId} as="run" />}
          {shown.otherId && <RunWatcher key={shown.otherId} runId={shown.otherId} as="other" />}
        </Suspense>
        <div className="relative flex min-h-0 grow">
          {!isNarrow && !session.isReadOnly && (
            <Palette isFolded={panel === 'run'} onAdd={add} onTriggers={onTriggers} />
          )}
          {!(isNarrow && (inspector.isShown || panels.isBeside)) && (
            <Middle {...{ view, actions, pointer, panels, onFile, openPicker }} />
          )}
          <SidePanels
            {...{ actions, panel, panels, onRestore, onSaveFirst }}
            onStarted={(runId) => {
              session.shown.setState({ startedId: runId })
              shown.onShow(runId)
            }}
            onProblems={() => onPanel('problems')}
            onClose={() => onPanel(null)}
          />
        </div>
        <Suspense>
          <RunStrip {...shown} pins={panels.pins} />
        </Suspense>
        <Problems {...{ panel, onPanel, panels, actions }} />
        <Suspense>
          <GraphMenu actions={actions} showAll={showAll} />
          {dialog === 'explain' && <ExplainDialog onClose={() => setDialog(null)} />}
          {dialog === 'call' && <CallDialog onClose={() => setDialog(null)} />}
        </Suspense>
        {!session.isReadOnly && <Dialogs actions={actions} add={add} />}
      </div>
    </CanvasUiContext>
  )
}

/** Opens the panel of the run. A graph that was never saved is saved first: a run needs a workflow. */
function useRunButton({ session, panel, onSaveFirst }: EditorProps, { openRun }: Panels) {
  return async () => {
    if (session.isReadOnly) return session.say(readOnlyWords)
    if (session.base.workflowId === null) return void (await onSaveFirst('run'))
    openRun({ isStart: panel === 'run' })
  }
}

/** A trigger starts a workflow, so a graph that has none is saved first. */
function triggersButton({ session, onSaveFirst }: EditorProps, { openPanel }: Panels) {
  if (session.base.workflowId !== null) return () => openPanel('triggers')
  return session.isReadOnly ? null : () => void onSaveFirst('triggers')
}

type ProblemsProps = Pick<EditorProps, 'panel' | 'onPanel'> & { panels: Panels; actions: Actions }

function Problems({ panel, onPanel, panels, actions }: ProblemsProps) {
  const { store, view } = useSessionOf()
  const flow = useReactFlow()
  return (
    <ProblemsDrawer
      actions={actions}
      isOpen={panel === 'problems'}
      onToggle={() => onPanel(panel === 'problems' ? null : 'problems')}
      onGo={(problem) => {
        view.setState({ currentProblem: problem })
        if (problem.nodeId === undefined) return
        store.getState().select({ nodes: new Set([problem.nodeId]) })
        void flow.fitView({ nodes: [{ id: problem.nodeId }], maxZoom: 1, duration: 200 })
        panels.inspector.open()
      }}
    />
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
  panels: Panels
  onFile(file: File): void
  openPicker(): void
}

/** The graph, drawn or as a list. */
function Middle({ view, actions, pointer, panels, onFile, openPicker }: MiddleProps) {
  const { store } = useSessionOf()
  const { inspector } = panels
  const inspect = (id: string) => {
    store.getState().select({ nodes: new Set([id]) })
    inspector.open()
  }
  const box = useRef<HTMLElement>(null)
  const name = useCanvas(({ history }) => history.doc.name)
  useEffect(() => {
    // A page that opens says which workflow it is, and the graph is the next stop of Tab.
    if (document.activeElement === document.body) box.current?.focus({ preventScroll: true })
  }, [])
  return (
    <section
      ref={box}
      tabIndex={-1}
      aria-label={`Workflow ${name}`}
      className="relative flex min-h-0 min-w-0 grow flex-col outline-none"
    >
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
    </section>
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
