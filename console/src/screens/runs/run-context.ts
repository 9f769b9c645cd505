// The run on screen, in a store: a card or a row subscribes to its own node and nothing else.
import { createContext, use } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { NodeTypes } from '#console/canvas/node-types.ts'
import type { RunState } from '#console/canvas/run/run-state.ts'

export type RunStore = ReturnType<typeof createRunStore>

export const createRunStore = (first: RunState) => createStore<RunState>()(() => first)

type RunOnView = {
  readonly store: RunStore
  readonly types: NodeTypes
  /** The path of the node or item that is open. */
  readonly selected: string | null
  select(path: string | null): void
}

export const RunContext = createContext<RunOnView | null>(null)

export function useRunOnView(): RunOnView {
  const found = use(RunContext)
  if (!found) throw new Error('outside of a run')
  return found
}

export const useRun = <T>(pick: (state: RunState) => T): T => useStore(useRunOnView().store, pick)
