import { create } from 'zustand'

export type ToastText = {
  title: string
  description?: string
  /** The run it is about, to go there. */
  data?: { runId: string }
}

/** Toasts that the region has not shown yet; it is loaded with the first one. */
export const useWaitingToasts = create<{ items: ToastText[]; wasUsed: boolean }>(() => ({
  items: [],
  wasUsed: false,
}))

/**
 * Reports something that has no place on the page. An error that has a place is shown there
 * instead.
 */
export function toast(title: string, description?: string, runId?: string): void {
  const item = {
    title,
    ...(description ? { description } : {}),
    ...(runId ? { data: { runId } } : {}),
  }
  useWaitingToasts.setState(({ items }) => ({ items: [...items, item], wasUsed: true }))
}
