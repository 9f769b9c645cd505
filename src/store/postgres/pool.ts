import { within } from '#core/deadline.ts'
import { StoreUnavailable } from '../db.ts'
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts'

/** How many callers hold a connection, and how many wait for one. */
export type PoolLoad = { inUse: number; waiting: number }

/** At most `size` connections, each used by one caller at a time; replaces lost ones on demand. */
export type Pool = {
  load(): PoolLoad
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** Accepts no more work, waits for what is under way, and disconnects. */
  close(): Promise<void>
}

export type PoolOptions = ConnectionOptions & {
  size: number
  /** Called once when the database goes away, and once when it answers again. */
  onUnavailable(error: unknown): void
  onRecovered(): void
}

export function openPool(options: PoolOptions): Pool {
  const outage = watchOutage(options)
  const connections = createConnections(options, outage.began)
  let inUse = 0
  let onIdle: (() => void) | undefined
  let closing: Promise<void> | undefined

  async function drain() {
    if (inUse > 0) await new Promise<void>((resolve) => (onIdle = resolve))
    await connections.end()
  }

  return {
    load() {
      const waiting = connections.waiting()
      return { inUse: inUse - waiting, waiting }
    },
    async use(work) {
      if (closing) throw new StoreUnavailable('the connection pool is closed')
      inUse += 1
      try {
        const connection = await connections.acquire()
        const askedAtMs = performance.now()
        try {
          const result = await work(connection)
          outage.answered(askedAtMs)
          return result
        } finally {
          connections.release(connection)
        }
      } finally {
        inUse -= 1
        if (inUse === 0) onIdle?.()
      }
    },
    close() {
      closing ??= drain()
      return closing
    },
  }
}

function createConnections(options: PoolOptions, onLost: (error: unknown) => void) {
  const { size, limits } = options
  const idle: Connection[] = []
  const waiting: PromiseWithResolvers<Connection>[] = []
  let opened = 0

  function open(): Connection {
    opened += 1
    return openConnection(options, {
      onLost(connection, error) {
        const index = idle.indexOf(connection)
        if (index >= 0) idle.splice(index, 1)
        replace()
        onLost(error)
      },
    })
  }

  function replace() {
    opened -= 1
    waiting.shift()?.resolve(open())
  }

  return {
    waiting: () => waiting.length,
    async acquire(): Promise<Connection> {
      const connection = idle.pop() ?? (opened < size ? open() : undefined)
      if (connection) return connection
      const free = Promise.withResolvers<Connection>()
      waiting.push(free)
      return within(limits.waitMs, free.promise, () => {
        waiting.splice(waiting.indexOf(free), 1)
        throw new StoreUnavailable(`no connection was free for ${limits.waitMs} ms`)
      })
    },
    release(connection: Connection) {
      if (!connection.isOpen()) return
      if (connection.shouldBeReplaced()) {
        void connection.end()
        return replace()
      }
      const next = waiting.shift()
      if (next) next.resolve(connection)
      else idle.push(connection)
    },
    end: () => Promise.all(idle.map((connection) => connection.end())),
  }
}

/** Answers to requests from before the outage do not show that the database is back. */
function watchOutage({ onUnavailable, onRecovered }: PoolOptions) {
  let awaySinceMs: number | undefined
  return {
    began(error: unknown) {
      if (awaySinceMs !== undefined) return
      awaySinceMs = performance.now()
      onUnavailable(error)
    },
    answered(askedAtMs: number) {
      if (awaySinceMs === undefined || askedAtMs < awaySinceMs) return
      awaySinceMs = undefined
      onRecovered()
    },
  }
}
