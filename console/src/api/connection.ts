import { create } from 'zustand'

type Connection = {
  /** Since when the server cannot be reached; null while it can. */
  lostAtMs: number | null
}

/** Whether the server answers. Every call reports here, and the frame says so in one place. */
export const useConnection = create<Connection>(() => ({ lostAtMs: null }))

export function reportReachable(): void {
  if (useConnection.getState().lostAtMs !== null) useConnection.setState({ lostAtMs: null })
}

export function reportUnreachable(nowMs: number = Date.now()): void {
  if (useConnection.getState().lostAtMs === null) useConnection.setState({ lostAtMs: nowMs })
}
