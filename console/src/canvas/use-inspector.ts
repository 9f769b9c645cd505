import { useState } from 'react'
import { useCanvas, useSessionOf } from './context.ts'

/**
 * The settings of the selection. On a narrow screen they replace the graph and are opened on
 * purpose; elsewhere they are shown beside it, unless another panel is.
 */
export function useInspector({ isNarrow, isPanelBeside, closePanel }: InspectorOptions) {
  const { store } = useSessionOf()
  const [focusSignal, setFocusSignal] = useState(0)
  const [isInspecting, setInspecting] = useState(false)
  const isAnySelected = useCanvas(({ selection: { nodes, wires } }) => nodes.size + wires.size > 0)
  const leave = () => {
    setInspecting(false)
    document.querySelector<HTMLElement>('.react-flow')?.focus()
  }
  return {
    isShown: isAnySelected && (isNarrow ? isInspecting : !isPanelBeside),
    /** Increases each time the focus should move to the settings. */
    focusSignal,
    open() {
      // There is no space for the settings beside another panel.
      if (isPanelBeside) closePanel()
      setInspecting(true)
      setFocusSignal((count) => count + 1)
    },
    leave,
    close() {
      leave()
      if (!isNarrow) store.getState().select({})
    },
  }
}

type InspectorOptions = { isNarrow: boolean; isPanelBeside: boolean; closePanel(): void }

export type InspectorState = ReturnType<typeof useInspector>
