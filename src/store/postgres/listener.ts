import { delay } from '#core/clock.ts'
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts'

/** Listens over a connection of its own, and reconnects if that is lost. */
export type Listener = {
  listen(channel: string, onWake: () => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

export function openListener(options: Omit<ConnectionOptions, 'usesTransactionPooling'>): Listener {
  const channels = new Map<string, Set<() => void>>()
  const closing = new AbortController()
  let connection: Connection | undefined
  let reconnecting = false

  const connected = (): Connection => {
    connection ??= openConnection(
      { ...options, usesTransactionPooling: false },
      { onLost, onNotify: wake },
    )
    return connection
  }

  function wake(channel: string) {
    for (const onWake of channels.get(channel) ?? []) queueMicrotask(onWake)
  }

  function onLost() {
    connection = undefined
    if (!reconnecting) void reconnect()
  }

  async function reconnect() {
    reconnecting = true
    for (let waitMs = 50; channels.size > 0; waitMs = Math.min(waitMs * 2, 2_000)) {
      try {
        await delay(waitMs, closing.signal)
        const names = [...channels.keys()]
        await Promise.all(names.map((channel) => connected().run(`listen ${quoted(channel)}`)))
        // Notifications sent in the meantime were lost.
        names.forEach(wake)
        break
      } catch {
        if (closing.signal.aborted) break
      }
    }
    reconnecting = false
  }

  return {
    async listen(channel, onWake) {
      const own = () => onWake()
      const peers = channels.get(channel) ?? new Set()
      channels.set(channel, peers.add(own))
      const stop = async () => {
        peers.delete(own)
        if (peers.size > 0 || channels.get(channel) !== peers) return
        channels.delete(channel)
        // A connection that was lost meanwhile does not listen any more anyway.
        await connection?.run(`unlisten ${quoted(channel)}`).catch(() => {})
      }
      try {
        // Repeated for every listener: it costs nothing, and its answer shows that it is in force.
        await connected().run(`listen ${quoted(channel)}`)
        return stop
      } catch (error) {
        await stop()
        throw error
      }
    },
    async close() {
      closing.abort()
      channels.clear()
      await connection?.end()
    },
  }
}

const quoted = (channel: string) => `"${channel.replaceAll('"', '""')}"`
