import type { TimedClock } from '#core/clock.ts'
import type { JobRef } from '#providers/provider.ts'
import type { Tasks } from '#store/engine-store.ts'
import { cancelJob, type ServingDeps, servingOf } from '../tasks/task-serving.ts'

/**
 * Ends the tasks of a run that were not submitted, and asks providers to cancel the others. Asking
 * is all that can be done; polling shows what came of it.
 */
export async function cancelTasksOf(
  deps: ServingDeps & { tasks: Tasks; clock: TimedClock },
  runId: string,
): Promise<void> {
  await deps.tasks.cancelUnsent(runId, deps.clock.nowMs())
  const sent = await deps.tasks.sent(runId)
  for (const task of sent) {
    const serving = servingOf(deps, task, task.served_by ?? task.model)
    if (serving) void cancelJob(serving, task.job_ref as JobRef, deps.clock)
  }
}
