import { useState } from 'react'
import { stepsTo } from '#console/canvas/run/run-state.ts'

export type OpenPaths = { has(path: string): boolean; toggle(path: string): void }

/** Loops and called workflows contain rows of their own. */
export const hasInside = (type: string): boolean => isLoop(type) || type === 'workflow.call'

export const isLoop = (type: string): boolean => type === 'flow.map' || type === 'flow.repeat'

/** Rows that lead to the selected one are open until someone closes them. */
export function useOpenPaths(selected: string | null): OpenPaths {
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>({})
  const leading = new Set(selected === null ? [] : stepsTo(selected).slice(0, -1))
  const has = (path: string) => chosen[path] ?? leading.has(path)
  return { has, toggle: (path) => setChosen({ ...chosen, [path]: !has(path) }) }
}
