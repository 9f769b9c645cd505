// Finds out when an unreachable server answers again. Until then reads and writes wait (react-query
// pauses them); afterwards writes continue and the data on screen is read again.
import { onlineManager } from '@tanstack/react-query'
import { reportReachable, useConnection } from './connection.ts'

const firstProbeMs = 2_000
const longestProbeMs = 30_000

/** Called once, for the whole page. */
export function watchConnection(): void {
  // Our own reports decide: a machine can be online while the server is down.
  onlineManager.setEventListener((setOnline) =>
    useConnection.subscribe(({ lostAtMs }) => setOnline(lostAtMs === null)),
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  const probe = async (pauseMs: number) => {
    clearTimeout(timer)
    const isBack = await fetch('/healthz', { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isBack) reportReachable()
    else timer = setTimeout(probe, pauseMs, Math.min(longestProbeMs, pauseMs * 2))
  }
  useConnection.subscribe(({ lostAtMs }, { lostAtMs: before }) => {
    clearTimeout(timer)
    if (lostAtMs !== null && before === null)
      timer = setTimeout(probe, firstProbeMs, firstProbeMs * 2)
  })
  window.addEventListener('online', () => {
    if (useConnection.getState().lostAtMs !== null) void probe(firstProbeMs)
  })
}
