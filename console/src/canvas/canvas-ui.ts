// What cards and menus ask of the editor around them: to open a panel, or to run.
import { createContext, use } from 'react'

export type CanvasUi = {
  /** Shows the settings of the selection before the open panel, and leaves the focus. */
  showNode(): void
  /** Selects a node and opens its settings, with its whole result on top. */
  openResult(nodeId: string): void
  /** Leads to the name of a node, or to the text of a note. */
  rename(nodeId: string): void
  /** Leads to the setting that an error is about, or to the first one. */
  fix(nodeId: string, error: { code: string; message: string }): void
  /** Opens the panel from which the graph is run. */
  openRun(): void
  togglePin(nodeId: string): void
  /** Opens what the shown run asks. */
  answer(waitId: string): void
  /** Runs a node anew, up to a node, a node and everything behind it, or all without reuse. */
  runPart(part: RunPart): void
}

export type RunPart = { only: string } | { to: string } | { from: string } | 'without reuse'

export const CanvasUiContext = createContext<CanvasUi | null>(null)

export function useCanvasUi(): CanvasUi {
  const ui = use(CanvasUiContext)
  if (!ui) throw new Error('outside of an editor')
  return ui
}
