// Lets callers wait for tasks: the process that serves them learns from the store when the tasks
// have ended, whichever process executes them.
import type { Db } from '#store/db.ts'
import type { ListedTask } from '#store/tables/tasks.ts'
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
  db: Db,
  { limitMs, onError }: { limitMs: number; onError(error: unknown): void },
): Promise<TaskAwaiter> {
  const waits = createTaskWaits(db, onError)
  const unlisten = await db.listen('task-ended', waits.look)
  const timer = setInterval(waits.look, lookEveryMs)
  return {
    async awaitTasks(taskIds, caller) {
      const leaving = new AbortController()
      const signal = AbortSignal.any([caller, leaving.signal])
      const limit = setTimeout(() => leaving.abort(), limitMs)
      try {
        const ended = await Promise.all(taskIds.map((id) => waits.ended(id, signal)))
        await db.synced()
        return ended
      } catch {
        // Time limit, caller gone or server stopping: the tasks continue all the same.
        return null
      } finally {
        clearTimeout(limit)
        leaving.abort()
      }
    },
    stopWaiting: waits.close,
    async close() {
      waits.close()
      clearInterval(timer)
      await unlisten()
    },
  }
}
