// Lets callers wait for tasks: the process that serves them learns from the store when the tasks
// have ended, whichever process executes them.
import type { Timers } from '#core/clock.ts'
import type { ListedTask, Tasks } from '#store/engine-store.ts'
import { createTaskWaits } from './task-waits.ts'

/** A notification may be lost with the process that sent it. */
const lookEveryMs = 1_000

export type TaskAwaiter = {
  /** Null if waiting ends first: at the time limit, when the caller leaves or the server stops. */
  awaitTasks(taskIds: readonly string[], signal: AbortSignal): Promise<ListedTask[] | null>
  /** Ends all waiting, when the server stops. */
  stopWaiting(): void
  close(): Promise<void>
}

export async function openTaskAwaiter(
  tasks: Tasks,
  options: { clock: Timers; limitMs: number; onError(error: unknown): void },
): Promise<TaskAwaiter> {
  const { clock, limitMs, onError } = options
  const waits = createTaskWaits(tasks, clock, onError)
  const unlisten = await tasks.onEnded(waits.look)
  const stopLooking = clock.every(lookEveryMs, waits.look)
  return {
    async awaitTasks(taskIds, caller) {
      const leaving = new AbortController()
      const signal = AbortSignal.any([caller, leaving.signal])
      const callOff = clock.after(limitMs, () => leaving.abort())
      try {
        const ended = await Promise.all(taskIds.map((id) => waits.ended(id, signal)))
        await tasks.synced()
        return ended
      } catch {
        // Time limit, caller gone or server stopping: the tasks continue all the same.
        return null
      } finally {
        callOff()
        leaving.abort()
      }
    },
    stopWaiting: waits.close,
    async close() {
      waits.close()
      stopLooking()
      await unlisten()
    },
  }
}
