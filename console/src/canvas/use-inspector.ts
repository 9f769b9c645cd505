import { useState } from 'react'
import { useCanvas, useSessionOf } from './context.ts'

/**
 * The settings of what is selected. On a narrow screen they take the place of the graph and are
 * opened on purpose; elsewhere they stand beside it, unless another panel does.
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
    /** Grows each time the focus shall go to the settings. */
    focusSignal,
    open() {
      // Beside another panel there is no room for the settings.
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
