import type { Timers } from '#core/clock.ts'
import { coalesce } from '#core/coalesce.ts'
import { Stopping } from '#core/interruptions.ts'
import type { EndedTask, Tasks } from '#store/engine-store.ts'

type Waiter = { resolve(row: EndedTask): void; reject(error: unknown): void }

export type TaskWaits = {
  /** With a signal, waiting ends when it aborts. */
  ended(taskId: string, signal?: AbortSignal): Promise<EndedTask>
  /** Asks the store about all tasks that are waited for. */
  look(): void
  /** Ends all waiting: the tasks continue, and the next owner of the runs waits for them. */
  close(): void
}

const chunk = 500

export function createTaskWaits(
  tasks: Pick<Tasks, 'ended'>,
  timers: Timers,
  onError: (error: unknown) => void,
): TaskWaits {
  const waiting = new Map<string, Waiter[]>()
  let isClosed = false

  async function lookOnce() {
    const ids = [...waiting.keys()]
    for (let from = 0; from < ids.length; from += chunk) {
      for (const row of await tasks.ended(ids.slice(from, from + chunk))) {
        const waiters = waiting.get(row.id) ?? []
        waiting.delete(row.id)
        for (const { resolve } of waiters) resolve(row)
      }
    }
  }
  function leave(taskId: string, waiter: Waiter) {
    const others = (waiting.get(taskId) ?? []).filter((other) => other !== waiter)
    if (others.length > 0) waiting.set(taskId, others)
    else waiting.delete(taskId)
  }

  const { schedule: look } = coalesce(lookOnce, { onError, timers })

  return {
    ended(taskId, signal) {
      if (isClosed) return Promise.reject(new Stopping())
      if (signal?.aborted) return Promise.reject(signal.reason)
      const ended = new Promise<EndedTask>((resolve, reject) => {
        const waiter = { resolve, reject }
        waiting.set(taskId, [...(waiting.get(taskId) ?? []), waiter])
        signal?.addEventListener('abort', () => {
          leave(taskId, waiter)
          reject(signal.reason)
        })
      })
      // It may have ended before anybody waited.
      look()
      return ended
    },
    look,
    close() {
      isClosed = true
      for (const waiters of waiting.values()) {
        for (const { reject } of waiters) reject(new Stopping())
      }
      waiting.clear()
    },
  }
}
