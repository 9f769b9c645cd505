// The answers of the run that a run retries, by node and key. Calls whose path shows that nothing has
// changed were copied with the retry; behind items that failed only the request itself can show it.
import { type ReusableCall, readReused } from '#core/reused-call.ts'
import type { DoneStep } from '#core/step-states.ts'
import type { ClaimedRun } from '#store/engine-store.ts'
import type { CallSite } from './call-site.ts'
import type { RunDeps, RunWork } from './run-deps.ts'

/** Equal requests of other nodes are no answer: without reuse, each node has its own. */
const idOf = (path: string, key: string): string =>
  `${path.replace(/#\d+$/, '').replaceAll(/\[\d+\]/g, '[]')} ${key}`

/** These places ask for the same, so that one is given the other's answer. */
export const isSameAnswer = (path: string, other: string, key: string): boolean =>
  idOf(path, key) === idOf(other, key)

export async function readRetried(
  { steps }: Pick<RunDeps, 'steps'>,
  { retry_of }: Pick<ClaimedRun, 'retry_of'>,
): Promise<ReadonlyMap<string, DoneStep>> {
  const answers = new Map<string, DoneStep>()
  if (retry_of === null) return answers
  for (const step of (await steps.ofRuns([retry_of])).get(retry_of) ?? []) {
    if (step.status !== 'DONE' || !step.reuse) continue
    const reused = readReused(step.reuse)
    const key = reused ? reused.key : step.reuse
    if (key) answers.set(idOf(step.path, key), step)
  }
  return answers
}

/** The answer that this node had for the same request in the retried run. */
export async function retriedAnswer(
  { steps }: Pick<RunDeps, 'steps'>,
  work: RunWork,
  { site, key }: { site: CallSite; key: string },
): Promise<ReusableCall | null> {
  if (work.row.retry_of === null) return null
  const step = (await work.retried()).get(idOf(site.path, key))
  if (!step) return null
  const { run_id: runId, path, ended_at: atMs, cost_micros, task_id: taskId, attempts } = step
  const paid = readReused(step.reuse) ?? { runId, path, atMs, savedMicros: cost_micros ?? 0 }
  return { ...paid, taskId, attempts, result: step.result ?? (await steps.resultOf(step)) }
}
