import { ReactFlowProvider, useReactFlow } from '@xyflow/react'
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import {
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Banner } from '#console/ui/banner.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { createActions } from './actions.ts'
import { SessionContext, useCanvas, useSessionOf, useView } from './context.ts'
import { Flow } from './flow.tsx'
import type { Graph, Position } from './graph.ts'
import { besideOf } from './new-node.ts'
import type { NodeTypeInfo } from './node-types.ts'
import { Palette } from './palette.tsx'
import type { PlacedProblem } from './problems.ts'
import type { Session } from './session.ts'
import { TopBar } from './top-bar.tsx'
import { useCanvasShortcuts } from './use-canvas-shortcuts.ts'
import { useNarrow } from './use-narrow.ts'
import { ViewControls } from './view-controls.tsx'

// What opens beside or over the graph is loaded when it first does: the graph does not wait.
const ConnectDialog = lazy(async () => ({
  default: (await import('./connect-dialog.tsx')).ConnectDialog,
}))
const NodePicker = lazy(async () => ({ default: (await import('./node-picker.tsx')).NodePicker }))
const Inspector = lazy(async () => ({
  default: (await import('./inspector/inspector.tsx')).Inspector,
}))
const ListView = lazy(async () => ({ default: (await import('./list-view.tsx')).ListView }))
const ProblemsPanel = lazy(async () => ({
  default: (await import('./problems-panel.tsx')).ProblemsPanel,
}))
const JsonPanel = lazy(async () => ({ default: (await import('./json-panel.tsx')).JsonPanel }))
const VersionsPanel = lazy(async () => ({
  default: (await import('./versions-panel.tsx')).VersionsPanel,
}))

export type PanelName = 'problems' | 'versions' | 'json'

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

function Body(props: EditorProps) {
  const { session, panel, onPanel, onSelect } = props
  const flow = useReactFlow()
  const showAll = useCallback(
    () => requestAnimationFrame(() => void flow.fitView({ maxZoom: 1, padding: 0.15 })),
    [flow],
  )
  const actions = useMemo(() => createActions(session, showAll), [session, showAll])
  const pointer = useRef<Position | null>(null)
  const isNarrow = useNarrow()
  const [chosenView, setView] = useState<'graph' | 'list' | null>(null)
  const view = chosenView ?? (isNarrow ? 'list' : 'graph')
  const [focusSignal, setFocusSignal] = useState(0)
  const [isInspecting, setInspecting] = useState(false)
  const selectedCount = useCanvas(
    (state) => state.selection.nodes.size + state.selection.wires.size,
  )
  const isPanelBeside = panel === 'versions' || panel === 'json'
  const isPicking = useView((state) => state.picker !== null)
  const isConnecting = useView((state) => state.connectFrom !== null)
  const [only] = useCanvas((state) => state.selection.nodes)
  const inspect = () => {
    // Beside another panel there is no room for the settings.
    if (isPanelBeside) onPanel(null)
    setInspecting(true)
    setFocusSignal((count) => count + 1)
  }
  useEffect(
    () => onSelect(selectedCount === 1 ? (only ?? null) : null),
    [only, selectedCount, onSelect],
  )
  const openPicker = () => session.view.setState({ picker: { at: pointer.current, loose: null } })
  const add = (
    info: NodeTypeInfo,
    at: Position | null,
    loose = null as Parameters<typeof actions.addNode>[2],
  ) => {
    const { history, selection } = session.store.getState()
    const [last] = selection.nodes
    const beside = besideOf(
      history.doc.graph.nodes.find((node) => node.id === last) ?? history.doc.graph.nodes.at(-1),
    )
    actions.addNode(info, at ?? beside, loose)
    // Without a pointer to say where, one must still see what was added.
    if (!at) showAll()
    session.view.setState({ picker: null })
  }
  const leaveInspector = () => {
    setInspecting(false)
    document.querySelector<HTMLElement>('.react-flow')?.focus()
  }
  useCanvasShortcuts({
    actions,
    pointer,
    onSave: props.onSave,
    onRun: props.onRun,
    onProblem: () => onPanel('problems'),
  })
  const showsInspector = selectedCount > 0 && (isNarrow ? isInspecting : !isPanelBeside)
  return (
    <div className="flex h-[calc(100dvh-48px)] min-h-96 flex-col max-md:h-[calc(100dvh-112px)]">
      <TopBar
        actions={actions}
        isSaving={props.isSaving}
        view={view}
        onView={setView}
        onSave={props.onSave}
        onRun={props.onRun}
        onAdd={openPicker}
        onVersions={session.base.workflowId === null ? null : () => onPanel('versions')}
        onJson={() => onPanel('json')}
        onExport={props.onExport}
        onImport={props.onImport}
      />
      {props.notes}
      <Notice />
      <div className="relative flex min-h-0 grow">
        {!isNarrow && <Palette onAdd={(info) => add(info, null)} />}
        {!(isNarrow && (showsInspector || isPanelBeside)) && (
          <div className="relative flex min-h-0 min-w-0 grow flex-col">
            {view === 'graph' ? (
              <>
                <Flow
                  actions={actions}
                  pointer={pointer}
                  onInspect={inspect}
                  onFile={props.onFile}
                />
                <ViewControls actions={actions} />
              </>
            ) : (
              <Suspense>
                <ListView
                  onOpen={(id) => {
                    session.store.getState().select({ nodes: new Set([id]) })
                    inspect()
                  }}
                  onAdd={openPicker}
                />
              </Suspense>
            )}
          </div>
        )}
        <Suspense>
          {showsInspector && (
            <Inspector
              actions={actions}
              onClose={() => {
                leaveInspector()
                if (!isNarrow) session.store.getState().select({})
              }}
              onLeave={leaveInspector}
              focusSignal={focusSignal}
            />
          )}
          {panel === 'versions' && session.base.workflowId !== null && (
            <VersionsPanel
              workflowId={session.base.workflowId}
              current={session.base.version ?? 0}
              onRestore={props.onRestore}
              onClose={() => onPanel(null)}
            />
          )}
          {panel === 'json' && <JsonPanel onClose={() => onPanel(null)} />}
        </Suspense>
      </div>
      <Drawer
        isOpen={panel === 'problems'}
        onToggle={() => onPanel(panel === 'problems' ? null : 'problems')}
        onGo={(problem) => {
          session.view.setState({ currentProblem: problem })
          if (problem.nodeId === undefined) return
          session.store.getState().select({ nodes: new Set([problem.nodeId]) })
          void flow.fitView({ nodes: [{ id: problem.nodeId }], maxZoom: 1, duration: 200 })
          inspect()
        }}
      />
      <Suspense>
        {isPicking && (
          <NodePicker
            onAdd={(info, picker) => add(info, picker.at, picker.loose)}
            onClose={() => session.view.setState({ picker: null })}
          />
        )}
        {isConnecting && <ConnectDialog actions={actions} />}
      </Suspense>
    </div>
  )
}

type DrawerProps = { isOpen: boolean; onToggle(): void; onGo(problem: PlacedProblem): void }

function Drawer({ isOpen, onToggle, onGo }: DrawerProps) {
  const problems = useView((state) => state.problems)
  const errors = problems.filter((problem) => problem.level === 'error').length
  const Icon = isOpen ? ChevronDown : ChevronUp
  const warnings = problems.length - errors
  const text = [
    errors > 0 && `${errors} ${errors === 1 ? 'problem' : 'problems'}`,
    warnings > 0 && `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
  ].filter(Boolean)
  return (
    <section aria-label="Problems" className="border-line border-t bg-card">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-h-8 w-full items-center gap-2 px-4 text-left text-sm hover:bg-sunken"
      >
        <Icon size={14} aria-hidden />
        <span className={errors > 0 ? 'text-bad' : warnings > 0 ? 'text-warn' : 'text-good'}>
          {text.join(', ') || 'No problems'}
        </span>
      </button>
      <Suspense>{isOpen && <ProblemsPanel onGo={onGo} />}</Suspense>
    </section>
  )
}

function Notice() {
  const { view } = useSessionOf()
  const notice = useView((state) => state.notice)
  if (notice === null) return null
  return (
    <div className="border-line border-b px-3 py-2">
      <Banner
        tone="warn"
        role="alert"
        title={notice}
        actions={
          <IconButton
            label="Dismiss"
            icon={<X size={14} aria-hidden />}
            onClick={() => view.setState({ notice: null })}
          />
        }
      />
    </div>
  )
}
