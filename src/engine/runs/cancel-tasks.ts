import type { TimedClock } from '#core/clock.ts'
import type { JobRef } from '#providers/provider.ts'
import type { Db } from '#store/db.ts'
import { cancelUnsentTasks, sentTasks } from '#store/tables/run-work.ts'
import { cancelJob, type ServingDeps, servingOf } from '../tasks/task-serving.ts'

/**
 * Ends the tasks of a run that were not submitted, and asks providers to cancel the others. Asking
 * is all that can be done; polling shows what came of it.
 */
export async function cancelTasksOf(
  deps: ServingDeps & { db: Db; clock: TimedClock },
  runId: string,
): Promise<void> {
  await cancelUnsentTasks(deps.db, runId, deps.clock.nowMs())
  const sent = await sentTasks(deps.db, runId)
  for (const task of sent) {
    const serving = servingOf(deps, task, task.served_by ?? task.model)
    if (serving) void cancelJob(serving, task.job_ref as JobRef, deps.clock)
  }
}
