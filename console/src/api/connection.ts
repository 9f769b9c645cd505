import { create } from 'zustand'

type Connection = {
  /** Since when the server has been unreachable; null while it answers. */
  lostAtMs: number | null
}

/** Whether the server answers. Every call reports here, and the frame shows it in one place. */
export const useConnection = create<Connection>(() => ({ lostAtMs: null }))

export function reportReachable(): void {
  if (useConnection.getState().lostAtMs !== null) useConnection.setState({ lostAtMs: null })
}

export function reportUnreachable(nowMs: number = Date.now()): void {
  if (useConnection.getState().lostAtMs === null) useConnection.setState({ lostAtMs: nowMs })
}
