import type { PanelName } from '#console/canvas/panel-name.ts'

export type CanvasSearch = {
  node?: string
  panel?: PanelName
  /** The run whose results are on the nodes, and one to compare it with. */
  run?: string
  with?: string
  /** One of several drafts; the newest if absent. */
  draft?: string
}

const panels = ['problems', 'versions', 'json', 'run', 'triggers'] as const

export function canvasSearch(search: Record<string, unknown>): CanvasSearch {
  const panel = panels.find((name) => name === search.panel)
  return {
    ...(typeof search.node === 'string' ? { node: search.node } : {}),
    ...(panel ? { panel } : {}),
    ...(typeof search.draft === 'string' ? { draft: search.draft } : {}),
    ...(typeof search.run === 'string' ? { run: search.run } : {}),
    ...(typeof search.run === 'string' && typeof search.with === 'string'
      ? { with: search.with }
      : {}),
  }
}

export type CompareSearch = { from?: number; to?: number }

export function compareSearch(search: Record<string, unknown>): CompareSearch {
  const [from, to] = [Number(search.from), Number(search.to)]
  return {
    ...(Number.isSafeInteger(from) && from > 0 ? { from } : {}),
    ...(Number.isSafeInteger(to) && to > 0 ? { to } : {}),
  }
}
