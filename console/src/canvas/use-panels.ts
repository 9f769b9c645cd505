import { useCallback, useMemo, useState } from 'react'
import { useMedia } from '#console/lib/use-media.ts'
import type { CanvasUi } from './canvas-ui.ts'
import { useCanvas, useSessionOf } from './context.ts'
import { findNode } from './graph.ts'
import { focusGraph } from './graph-element.ts'
import { typeInfo } from './node-types.ts'
import type { PanelName } from './panel-name.ts'
import { settingBehind } from './run/failure-advice.ts'
import { askedFor } from './run/run-part.ts'
import { usePins } from './run/use-pins.ts'
import type { Session } from './session.ts'

type Options = {
  isNarrow: boolean
  panel: PanelName | null
  onPanel(panel: PanelName | null): void
}

/** The panels beside the graph: the settings of the selection, or one that was asked for. */
export function usePanels({ isNarrow, panel, onPanel }: Options) {
  const session = useSessionOf()
  const pins = usePins()
  // From this width the settings of a node and the run have a column each.
  const isWide = useMedia('(min-width: 1920px)')
  const [side, setSide] = useState<'node' | 'run'>('run')
  const [signals, setSignals] = useState({ run: 0, start: 0, node: 0 })
  const [isInspecting, setInspecting] = useState(false)
  const isAnySelected = useCanvas(({ selection: { nodes, wires } }) => nodes.size + wires.size > 0)
  const isOther = panel === 'versions' || panel === 'json' || panel === 'triggers'
  const isRun = panel === 'run'
  const isBeside = isOther || (isRun && !isWide && (side === 'run' || !isAnySelected))

  const openNode = useCallback(() => {
    setSide('node')
    // There is no space for the settings beside these.
    if (isOther || (isRun && isNarrow)) onPanel(null)
    setInspecting(true)
    setSignals((now) => ({ ...now, node: now.node + 1 }))
  }, [isOther, isRun, isNarrow, onPanel])
  const openRun = useCallback(
    ({ isStart = false } = {}) => {
      setSide('run')
      setInspecting(false)
      onPanel('run')
      setSignals((now) => ({ ...now, run: now.run + 1, start: isStart ? now.start + 1 : 0 }))
    },
    [onPanel],
  )
  const onStarting = useCallback(() => setSignals((now) => ({ ...now, start: 0 })), [])
  const ui = useMemo(
    () => createUi(session, { openNode, openRun, togglePin: pins.toggle }),
    [session, openNode, openRun, pins.toggle],
  )
  const leave = () => {
    setInspecting(false)
    focusGraph()
  }
  return {
    ui,
    pins,
    side,
    setSide,
    signals,
    onStarting,
    openRun,
    closeRun() {
      onPanel(null)
      focusGraph()
    },
    /** Something other than the settings takes their place. */
    isBeside,
    /** On a phone one panel is the whole screen. */
    isRunShown: isRun && !(isNarrow && isInspecting && isAnySelected),
    /** The settings and the run share a column, each behind its tab. */
    isShared: isRun && !isWide && !isNarrow && isAnySelected,
    inspector: {
      isShown: isAnySelected && (isNarrow ? isInspecting : !isBeside),
      /** Increases each time the focus should move to the settings. */
      focusSignal: signals.node,
      open: openNode,
      leave,
      close() {
        leave()
        if (!isNarrow) session.store.getState().select({})
      },
    },
  }
}

export type Panels = ReturnType<typeof usePanels>

type Doing = {
  openNode(): void
  openRun(options?: { isStart?: boolean }): void
  togglePin(nodeId: string): void
}

function createUi({ store, view }: Session, { openNode, openRun, togglePin }: Doing): CanvasUi {
  const select = (nodeId: string) => store.getState().select({ nodes: new Set([nodeId]) })
  return {
    openResult(nodeId) {
      select(nodeId)
      openNode()
    },
    fix(nodeId, error) {
      const node = findNode(store.getState().history.doc.graph, nodeId)
      const config = node && typeInfo(view.getState().types, node.type)?.config
      const field = settingBehind(error, Object.keys(config?.properties ?? {}))
      const { message } = error
      const problem = { level: 'error', code: '', path: '', message, words: message } as const
      select(nodeId)
      view.setState({ currentProblem: field ? { ...problem, nodeId, field } : null })
      openNode()
    },
    openRun: () => openRun(),
    runPart(part) {
      const { graph } = store.getState().history.doc
      view.setState({ asked: askedFor(part, graph) })
      openRun({ isStart: true })
    },
    togglePin,
  }
}
