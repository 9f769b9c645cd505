import { lazy, Suspense } from 'react'
import type { Actions } from './actions.ts'
import { useBase } from './context.ts'
import type { Graph } from './graph.ts'
import type { PanelName } from './panel-name.ts'
import type { InspectorState } from './use-inspector.ts'

// Loaded when first opened, so that the graph does not wait for them.
const Inspector = lazy(async () => ({
  default: (await import('./inspector/inspector.tsx')).Inspector,
}))
const JsonPanel = lazy(async () => ({ default: (await import('./json-panel.tsx')).JsonPanel }))
const VersionsPanel = lazy(async () => ({
  default: (await import('./versions-panel.tsx')).VersionsPanel,
}))

type SidePanelsProps = {
  actions: Actions
  panel: PanelName | null
  inspector: InspectorState
  onRestore(version: number, graph: Graph): Promise<void>
  onClose(): void
}

/** The panels beside the graph: settings, versions or the graph as JSON. */
export function SidePanels({ actions, panel, inspector, onRestore, onClose }: SidePanelsProps) {
  const { workflowId, version } = useBase()
  return (
    <Suspense>
      {inspector.isShown && (
        <Inspector
          actions={actions}
          onClose={inspector.close}
          onLeave={inspector.leave}
          focusSignal={inspector.focusSignal}
        />
      )}
      {panel === 'versions' && workflowId !== null && (
        <VersionsPanel
          workflowId={workflowId}
          current={version ?? 0}
          onRestore={onRestore}
          onClose={onClose}
        />
      )}
      {panel === 'json' && <JsonPanel onClose={onClose} />}
    </Suspense>
  )
}
