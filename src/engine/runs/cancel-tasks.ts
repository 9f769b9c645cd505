import type { Catalogue } from '#providers/catalogue.ts'
import type { JobRef, Provider } from '#providers/provider.ts'
import type { Db } from '#store/db.ts'
import { cancelUnsentTasks, sentTasks } from '#store/tables/run-work.ts'

const cancelTimeoutMs = 5_000

/**
 * Ends the tasks of a run that were not sent, and asks providers to give up the others. What they
 * answer shows when the task is polled; asking is all that can be done.
 */
export async function cancelTasksOf(
  deps: { db: Db; catalogue: Catalogue; providers: ReadonlyMap<string, Provider> },
  runId: string,
  nowMs: number,
): Promise<void> {
  await cancelUnsentTasks(deps.db, runId, nowMs)
  const sent = await sentTasks(deps.db, runId)
  for (const task of sent) {
    const entry = deps.catalogue.known(task.served_by ?? task.model)
    const provider = entry && deps.providers.get(entry.provider)
    provider
      ?.cancel?.(task.job_ref as JobRef, {
        signal: AbortSignal.timeout(cancelTimeoutMs),
      })
      .catch(() => undefined)
  }
}
