import { StoreUnavailable } from '../db.ts'
import { type Lane, openLane } from './connection.ts'
import type { PostgresLimits } from './limits.ts'

/** At most `size` connections, each used by one at a time; a lost one is replaced on demand. */
export type Pool = {
  use<T>(work: (lane: Lane) => Promise<T>): Promise<T>
  /** Takes nothing more, waits for what is under way, and disconnects. */
  close(): Promise<void>
}

export type PoolOptions = {
  url: string
  size: number
  limits: PostgresLimits
  /** Called once when the database goes away, and once when it answers again. */
  onAway(error: unknown): void
  onBack(): void
}

export function openPool({ url, size, limits, onAway, onBack }: PoolOptions): Pool {
  const idle: Lane[] = []
  const waiting: PromiseWithResolvers<Lane>[] = []
  let awaySinceMs: number | undefined
  let opened = 0
  let inUse = 0
  let onIdle: (() => void) | undefined
  let closing: Promise<void> | undefined

  function open(): Lane {
    opened += 1
    return openLane(url, limits, {
      onLost(lane, error) {
        const index = idle.indexOf(lane)
        if (index >= 0) idle.splice(index, 1)
        replace()
        if (awaySinceMs !== undefined) return
        awaySinceMs = performance.now()
        onAway(error)
      },
    })
  }

  function replace() {
    opened -= 1
    waiting.shift()?.resolve(open())
  }

  async function acquire(): Promise<Lane> {
    if (closing) throw new StoreUnavailable('it is closed')
    const lane = idle.pop() ?? (opened < size ? open() : undefined)
    if (lane) return lane
    const turn = Promise.withResolvers<Lane>()
    waiting.push(turn)
    const timer = setTimeout(() => {
      const index = waiting.indexOf(turn)
      if (index < 0) return
      waiting.splice(index, 1)
      turn.reject(new StoreUnavailable(`no connection was free for ${limits.waitMs} ms`))
    }, limits.waitMs)
    return turn.promise.finally(() => clearTimeout(timer))
  }

  /** Answers to what was asked before it went away do not show that it is back. */
  function answered(askedAtMs: number) {
    if (awaySinceMs === undefined || askedAtMs < awaySinceMs) return
    awaySinceMs = undefined
    onBack()
  }

  function release(lane: Lane) {
    if (!lane.isOpen()) return
    if (lane.isWorn()) {
      void lane.end()
      return replace()
    }
    const next = waiting.shift()
    if (next) next.resolve(lane)
    else idle.push(lane)
  }

  async function drain() {
    if (inUse > 0) await new Promise<void>((resolve) => (onIdle = resolve))
    await Promise.all(idle.map((lane) => lane.end()))
  }

  return {
    async use(work) {
      inUse += 1
      try {
        const lane = await acquire()
        const askedAtMs = performance.now()
        try {
          const result = await work(lane)
          answered(askedAtMs)
          return result
        } finally {
          release(lane)
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
