// One tab reads for all tabs of the same account. Each tab requests a lock of the same name, and
// the tab that holds it polls; a hidden tab releases it. Where the browser has no locks (plain
// http), every visible tab polls for itself.

export type PollLeader = { stop(): void }

type Options = {
  name: string
  onLead(isLeader: boolean): void
  onShared(answer: unknown): void
}

const channelName = 'atelier:polls'

export const canShare = (): boolean =>
  typeof BroadcastChannel === 'function' && navigator.locks !== undefined

export function shareAnswer(name: string, answer: unknown): void {
  if (!canShare()) return
  const channel = new BroadcastChannel(channelName)
  channel.postMessage({ name, answer })
  channel.close()
}

export function joinPoll({ name, onLead, onShared }: Options): PollLeader {
  if (!canShare()) {
    onLead(true)
    return { stop: () => undefined }
  }
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', ({ data }) => {
    if (data?.name === name) onShared(data.answer)
  })
  let release: (() => void) | null = null
  let asking: AbortController | null = null
  const ask = () => {
    if (asking) return
    asking = new AbortController()
    const held = () =>
      new Promise<void>((resolve) => {
        release = resolve
        onLead(true)
      })
    // Rejects only if we abort the request.
    navigator.locks.request(`atelier:poll:${name}`, { signal: asking.signal }, held).catch(() => {})
  }
  const letGo = () => {
    asking?.abort()
    asking = null
    release?.()
    release = null
    onLead(false)
  }
  const onVisibility = () => (document.visibilityState === 'visible' ? ask() : letGo())
  document.addEventListener('visibilitychange', onVisibility)
  onVisibility()
  return {
    stop() {
      document.removeEventListener('visibilitychange', onVisibility)
      channel.close()
      letGo()
    },
  }
}
