// A picture or video that another run has ordered and that is still being made, or was made without
// its run knowing of it yet: whoever wants the same waits for it. Its run may have been cancelled
// since, and then nobody else waits.
import type { ReusableCall } from '#core/reused-call.ts'
import type { ReusableRequest } from '#graph/node/outside-calls.ts'
import { isAsAsked } from '../tasks/task-models.ts'
import type { CallSite } from './call-site.ts'
import type { NodeScope } from './node-scope.ts'
import { isSameAnswer } from './retried-answers.ts'

/** `isAny`: of any run; otherwise only what this node ordered in the run that is retried. */
type Asked = { key: string; sinceMs: number; request: ReusableRequest; isAny: boolean }

/** The answer, once it is there; null if there is none, or none that may be taken over. */
export async function answerUnderWay(
  { deps, work, halt, calls }: NodeScope,
  site: CallSite,
  { key, sinceMs, request, isAny }: Asked,
): Promise<ReusableCall | null> {
  if (request.kind !== 'MEDIA' || !deps.reuse) return null
  const { account_id, retry_of } = work.row
  const asked = { key, sinceMs, runId: isAny ? null : retry_of }
  const tasks = await deps.reuse.underWay(account_id, asked)
  const ordered = tasks.find(({ path }) => isAny || isSameAnswer(path, site.path, key))
  if (!ordered) return null
  site.progress.taskId ??= ordered.taskId
  work.isChanged = true
  calls.beginWait()
  const task = await deps.taskEnded(ordered.taskId, halt.ending()).finally(calls.endWait)
  if (task.status !== 'COMPLETED' || !isAsAsked(task)) return null
  return {
    ...ordered,
    ...{ atMs: task.completed_at, savedMicros: task.cost_micros ?? 0, attempts: 1 },
    result: JSON.stringify(deps.mediaUrls(task.media)),
  }
}
