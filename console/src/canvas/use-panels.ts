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

type Side = 'node' | 'panel'

type Signals = { run: number; start: number; node: { field: string | null } | null }

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
  const { side, setSide, showNode } = useFront(panel)
  const opening = useOpening({ isNarrow, panel, onPanel }, { setSide, showNode })
  const { signals, isInspecting, setInspecting, openNode, openRun, onStarting, onFocused } = opening
  const isAnySelected = useCanvas(({ selection: { nodes, wires } }) => nodes.size + wires.size > 0)
  const isOther = panel === 'versions' || panel === 'json' || panel === 'triggers'
  const isRun = panel === 'run'
  const isPanel = isOther || (isRun && !isWide)
  const isBeside = isPanel && (side === 'panel' || !isAnySelected)

  const ui = useMemo(
    () => createUi(session, { showNode, openNode, openRun, togglePin: pins.toggle }),
    [session, showNode, openNode, openRun, pins.toggle],
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
    /** Opens a panel, before the settings of the selection. */
    openPanel(name: PanelName) {
      setSide('panel')
      onPanel(name)
    },
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
    /** The settings and the panel share a column, each behind its tab. */
    isShared: isPanel && !isNarrow && isAnySelected,
    inspector: {
      isShown: isAnySelected && (isNarrow ? isInspecting : !isBeside),
      /** Not null: the focus should move to the settings, or to one of them. */
      focusSignal: signals.node,
      onFocused,
      open: () => openNode(),
      leave,
      close() {
        leave()
        if (!isNarrow) session.store.getState().select({})
      },
    },
  }
}

/** What opens the settings or the run, and moves the focus there. */
function useOpening({ isNarrow, panel, onPanel }: Options, { setSide, showNode }: Front) {
  const [signals, setSignals] = useState<Signals>({ run: 0, start: 0, node: null })
  const [isInspecting, setInspecting] = useState(false)
  const openNode = useCallback(
    (field: string | null = null) => {
      showNode()
      // There is no space for the settings beside these.
      if (isNarrow && panel !== null && panel !== 'problems') onPanel(null)
      setInspecting(true)
      setSignals((now) => ({ ...now, node: { field } }))
    },
    [showNode, panel, isNarrow, onPanel],
  )
  const openRun = useCallback(
    ({ isStart = false } = {}) => {
      setSide('panel')
      setInspecting(false)
      onPanel('run')
      setSignals((now) => ({ ...now, run: now.run + 1, start: isStart ? now.start + 1 : 0 }))
    },
    [onPanel, setSide],
  )
  const onStarting = useCallback(() => setSignals((now) => ({ ...now, start: 0 })), [])
  const onFocused = useCallback(() => setSignals((now) => ({ ...now, node: null })), [])
  return { signals, isInspecting, setInspecting, openNode, openRun, onStarting, onFocused }
}

type Front = Pick<ReturnType<typeof useFront>, 'setSide' | 'showNode'>

/** Which of the two is before the other: the settings of the selection, or the open panel. */
function useFront(panel: PanelName | null) {
  // Another panel than the one behind the settings opens before them.
  const [behind, setBehind] = useState<PanelName | null>(null)
  const side: Side = panel !== null && behind === panel ? 'node' : 'panel'
  const setSide = useCallback((next: Side) => setBehind(next === 'node' ? panel : null), [panel])
  const showNode = useCallback(() => setSide('node'), [setSide])
  return { side, setSide, showNode }
}

export type Panels = ReturnType<typeof usePanels>

type Doing = {
  showNode(): void
  openNode(field?: string | null): void
  openRun(options?: { isStart?: boolean }): void
  togglePin(nodeId: string): void
}

function createUi({ store, view }: Session, doing: Doing): CanvasUi {
  const { showNode, openNode, openRun, togglePin } = doing
  const select = (nodeId: string) => store.getState().select({ nodes: new Set([nodeId]) })
  return {
    showNode,
    openResult(nodeId) {
      select(nodeId)
      openNode()
    },
    rename(nodeId) {
      select(nodeId)
      openNode(findNode(store.getState().history.doc.graph, nodeId) ? 'label' : null)
    },
    fix(nodeId, error) {
      const node = findNode(store.getState().history.doc.graph, nodeId)
      const { types, portsOf } = view.getState()
      const config = node && typeInfo(types, node.type)?.config
      const inputs = node ? portsOf(node).inputs : []
      const field = settingBehind(error, {
        settings: [...Object.keys(config?.properties ?? {}), ...inputs.map(({ name }) => name)],
        data: node?.data ?? {},
      })
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
    answer: (waitId) => view.setState({ answering: waitId }),
  }
}
