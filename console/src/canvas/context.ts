import { createContext, use } from 'react'
import { useStore } from 'zustand'
import type { ShownRuns } from './run/shown-run.ts'
import type { Session } from './session.ts'
import type { CanvasState } from './store.ts'
import type { ViewState } from './view-store.ts'

export const SessionContext = createContext<Session | null>(null)

export function useSessionOf(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('outside of a canvas')
  return session
}

export const useCanvas = <T>(pick: (state: CanvasState) => T): T =>
  useStore(useSessionOf().store, pick)

export const useView = <T>(pick: (state: ViewState) => T): T => useStore(useSessionOf().view, pick)

/** The runs whose results are shown on the nodes. */
export const useShown = <T>(pick: (state: ShownRuns) => T): T =>
  useStore(useSessionOf().shown, pick)

/** The version that is open. Each save changes it and re-renders everything that reads it here. */
export const useBase = () => {
  useCanvas((state) => state.saved)
  return useSessionOf().base
}

/** Whether this person may only look. */
export const useReadOnly = (): boolean => useSessionOf().isReadOnly

export const useGraph = () => useCanvas((state) => state.history.doc.graph)
