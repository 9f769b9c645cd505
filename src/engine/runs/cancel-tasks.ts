import type { JobRef } from '#providers/provider.ts'
import type { Db } from '#store/db.ts'
import { cancelUnsentTasks, sentTasks } from '#store/tables/run-work.ts'
import { cancelJob, type ServingDeps, servingOf } from '../task-serving.ts'

/**
 * Ends the tasks of a run that were not sent, and asks providers to give up the others. What they
 * answer shows when the task is polled; asking is all that can be done.
 */
export async function cancelTasksOf(
  deps: ServingDeps & { db: Db },
  runId: string,
  nowMs: number,
): Promise<void> {
  await cancelUnsentTasks(deps.db, runId, nowMs)
  const sent = await sentTasks(deps.db, runId)
  for (const task of sent) {
    const serving = servingOf(deps, task, task.served_by ?? task.model)
    if (serving) void cancelJob(serving, task.job_ref as JobRef)
  }
}
