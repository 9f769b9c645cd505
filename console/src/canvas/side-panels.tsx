import { lazy, type ReactNode, Suspense } from 'react'
import { cx } from '#console/lib/cx.ts'
import type { Actions } from './actions.ts'
import { useBase } from './context.ts'
import type { Graph } from './graph.ts'
import type { PanelName } from './panel-name.ts'
import type { Panels } from './use-panels.ts'

// Loaded when first opened, so that the graph does not wait for them.
const Inspector = lazy(async () => ({
  default: (await import('./inspector/inspector.tsx')).Inspector,
}))
const JsonPanel = lazy(async () => ({ default: (await import('./json-panel.tsx')).JsonPanel }))
const VersionsPanel = lazy(async () => ({
  default: (await import('./versions-panel.tsx')).VersionsPanel,
}))
const TriggersPanel = lazy(async () => ({
  default: (await import('#console/shared/triggers/triggers-panel.tsx')).TriggersPanel,
}))
const RunPanel = lazy(async () => ({ default: (await import('./run/run-panel.tsx')).RunPanel }))

type SidePanelsProps = {
  actions: Actions
  panel: PanelName | null
  panels: Panels
  onRestore(version: number, graph: Graph): Promise<void>
  onSaveFirst(next: PanelName): Promise<boolean>
  onStarted(runId: string): void
  onProblems(): void
  onClose(): void
}

/** The panels beside the graph: settings, run, versions or the graph as JSON. */
export function SidePanels(props: SidePanelsProps) {
  const { actions, panel, panels, onRestore, onClose } = props
  const { workflowId, version } = useBase()
  const { inspector, isShared, side } = panels
  const settings = inspector.isShown && (
    <Inspector
      actions={actions}
      onClose={inspector.close}
      onLeave={inspector.leave}
      focusSignal={inspector.focusSignal}
      onFocused={inspector.onFocused}
    />
  )
  const run = panels.isRunShown && (
    <RunPanel
      onSave={() => props.onSaveFirst('run')}
      onStarted={props.onStarted}
      onProblems={props.onProblems}
      onClose={panels.closeRun}
      focusSignal={panels.signals.run}
      startSignal={panels.signals.start}
      onStarting={panels.onStarting}
    />
  )
  const other = (
    <>
      {panel === 'versions' && workflowId !== null && (
        <VersionsPanel
          workflowId={workflowId}
          current={version ?? 0}
          onRestore={onRestore}
          onClose={onClose}
        />
      )}
      {panel === 'json' && <JsonPanel onClose={onClose} />}
      {panel === 'triggers' && workflowId !== null && (
        <TriggersPanel workflowId={workflowId} onStarted={props.onStarted} onClose={onClose} />
      )}
    </>
  )
  return (
    <Suspense>
      {/* Always the same elements, so that a panel keeps its state when the window gets narrow. */}
      <Column panels={panels} label={tabs[panel ?? 'run']}>
        {!(isShared && side === 'panel') && settings}
        {!(isShared && side === 'node') && run}
        {!(isShared && side === 'node') && other}
      </Column>
    </Suspense>
  )
}

const tabs: Record<PanelName, string> = {
  problems: 'Problems',
  versions: 'Versions',
  json: 'JSON',
  run: 'Run',
  triggers: 'Triggers',
}

const sharedColumn =
  'flex w-90 max-w-full shrink-0 flex-col border-line border-l bg-card [&>aside]:min-h-0 [&>aside]:w-full [&>aside]:shrink [&>aside]:grow [&>aside]:border-l-0'

type ColumnProps = { panels: Panels; label: string; children: ReactNode }

/** One column with tabs for both, where there is no room for two. */
function Column({ panels, label: panel, children }: ColumnProps) {
  const choice = (name: Panels['side'], label: string) => (
    <button
      type="button"
      aria-pressed={panels.side === name}
      onClick={() => panels.setSide(name)}
      className={cx(
        '-mb-px min-h-9 border-b-2 px-1',
        panels.side === name
          ? 'border-accent font-semibold'
          : 'border-transparent text-soft hover:text-ink',
      )}
    >
      {label}
    </button>
  )
  return (
    <div className={panels.isShared ? sharedColumn : 'contents'}>
      {panels.isShared && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
        <div
          role="group"
          aria-label="Beside the graph"
          className="flex shrink-0 gap-4 border-line border-b px-4 text-sm"
        >
          {choice('node', 'Node')}
          {choice('panel', panel)}
        </div>
      )}
      {children}
    </div>
  )
}
