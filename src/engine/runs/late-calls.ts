// Calls that end after their run, or after the worker that made them: what they cost is added to the
// run, and pictures and videos are kept for others, like all that was paid for.
import type { RunDeps, RunWork } from './run-deps.ts'

type Deps = Pick<RunDeps, 'runs' | 'clock' | 'reuse' | 'payloads' | 'mediaUrls'>

/** Whether a run that ends leaves something to `takeInLate`. */
export const hasCallsLeft = async (
  { runs, tasks }: Pick<RunDeps, 'runs' | 'tasks'>,
  { row, steps }: Pick<RunWork, 'row' | 'steps'>,
): Promise<boolean> => {
  if (await runs.hasCallsInFlight(row.id)) return true
  const ordered = [...steps.values()].flatMap(({ status, task_id }) =>
    status === 'STARTED' && task_id !== null ? [task_id] : [],
  )
  if (ordered.length === 0) return false
  return (await tasks.ended(ordered)).some(({ status }) => status === 'COMPLETED')
}

/** Of any runs, whoever executed them. */
export async function takeInLate(deps: Deps): Promise<void> {
  const { runs, clock, reuse, payloads, mediaUrls } = deps
  const hasLate = await runs.settleLateCosts(clock.nowMs())
  if (!hasLate || !reuse) return
  for (const { account_id, media, ...call } of await reuse.lateMedia()) {
    const result = await payloads.put(account_id, JSON.stringify(mediaUrls(media)))
    const step = { ...call, kind: 'MEDIA', status: 'DONE', error: null, result } as const
    await reuse.keepLate(account_id, step)
  }
}
