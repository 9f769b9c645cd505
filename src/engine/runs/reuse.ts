// Answers of earlier calls in place of new ones: a run that asks for it takes over what the same
// request was answered before, in any run of its account, as a retry takes over the calls of its
// own. Every run records the keys of its calls, so that later ones can find them.
import type { Clock } from '#core/clock.ts'
import { RunCancelled } from '#core/interruptions.ts'
import { isLong } from '#core/payload-text.ts'
import { type ReusableCall, type ReusedCall, rootOfPath, writeReused } from '#core/reused-call.ts'
import type { NodeProgress } from '#core/run-nodes.ts'
import type { DoneStep } from '#core/step-states.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import type { NodeReuse } from '#graph/node/node-reuse.ts'
import type { ReusableRequest } from '#graph/node/outside-calls.ts'
import type { CallSite } from './call-site.ts'
import type { NodeScope } from './node-scope.ts'
import { answerUnderWay } from './pictures-under-way.ts'
import { retriedAnswer } from './retried-answers.ts'
import { formOf, keyOf } from './reuse-key.ts'
import type { RunDeps, RunWork } from './run-deps.ts'
import { RunTimeUp } from './run-halt.ts'
import { isUsableFor } from './stored-answer.ts'

export const isReusing = ({ row }: Pick<RunWork, 'row'>): boolean => row.options?.reuse === 'exact'

/** Null if its answer is not to be reused. Must be called for every call in the order of calls. */
export function keyOfCall(
  { deps, work }: Pick<NodeScope, 'deps' | 'work'>,
  site: CallSite,
  request: ReusableRequest,
): string | null | Promise<string | null> {
  const { reuse } = deps
  if (!reuse || !takesPart(request, site.reuse)) return null
  const isCostLimited = work.row.max_cost_micros !== null
  const form = formOf(reuse, request, { spender: work.spender, isCostLimited })
  // A node outside of lists makes one call, or a few that differ.
  const isOnly = site.calls === 1 && !site.path.includes('[')
  const numbered = (one: Awaited<typeof form>) =>
    one && (isOnly ? keyOf(one, 0) : work.numbers().keyFor(site.path, one))
  return form instanceof Promise ? form.then(numbered, () => null) : numbered(form)
}

export const takesPart = ({ kind }: ReusableRequest, reuse: NodeReuse): boolean =>
  kind !== 'HTTP' || (reuse !== undefined && reuse !== false)

/** Whether a call that is not recorded may have been answered before. */
export const mayTakeOver = (work: Pick<RunWork, 'row'>): boolean =>
  isReusing(work) || work.row.retry_of !== null

/** An answer of an earlier call, now stored as this run's own; undefined if there is none. */
export async function takeOver(
  scope: NodeScope,
  site: CallSite,
  { key, request }: { key: string; request: ReusableRequest },
): Promise<TakenOver | undefined> {
  const { deps, work } = scope
  const { reuse, payloads } = deps
  if (!reuse) return undefined
  const isAny = isReusing(work) && site.reuse !== false
  const sinceMs = isAny ? sinceOf(site.reuse, deps.clock) : 0
  const found =
    (await retriedAnswer(deps, work, { site, key })) ??
    (isAny ? await find(deps, work, { key, sinceMs }) : null) ??
    (await answerUnderWay(scope, site, { key, sinceMs, request, isAny }))
  if (!found) return undefined
  const accountId = work.row.account_id
  const value = await reuse.keepMedia(accountId, await payloads.read(accountId, found.result))
  // Nobody has looked at an answer that came after its run had ended.
  if (value === undefined || !isUsableFor(request, value)) return undefined
  const json = JSON.stringify(value)
  const result = isLong(json) ? await payloads.put(accountId, json) : json
  const { runId, path, atMs, savedMicros, taskId } = found
  const from = { runId, path, atMs, savedMicros, key }
  return { value, result, from, reuse: writeReused(from), taskId }
}

async function find(
  { reuse }: RunDeps,
  work: RunWork,
  asked: { key: string; sinceMs: number },
): Promise<ReusableCall | null | undefined> {
  // Equal calls of this very run are found once they are stored.
  await work.stored
  return reuse?.find(work.row.account_id, asked)
}

/** The earliest time of an answer that may be taken over. */
export const sinceOf = (policy: NodeReuse, clock: Clock): number =>
  policy ? clock.nowMs() - policy.maxAgeSeconds * 1000 : 0

type TakenOver = {
  value: unknown
  result: string
  from: ReusedCall
  /** The same, as it is stored. */
  reuse: string
  taskId: string | null
}

/** The node has an answer that it did not pay for. */
export function noteReused(work: RunWork, { progress }: CallSite, call: ReusedCall): void {
  // What a retry keeps of its own run is not shown as saved.
  if (!isReusing(work)) return
  const known = progress.reused
  const from = { runId: call.runId, nodeId: rootOfPath(call.path), atMs: call.atMs }
  const isWhole = !known || known.from !== null
  const isNewer = !known?.from || known.from.atMs < call.atMs
  progress.reused = {
    savedMicros: (known?.savedMicros ?? 0) + call.savedMicros,
    from: isWhole ? (isNewer ? from : (known?.from ?? from)) : null,
  }
}

/** The node has made a call itself, so that it was not reused as a whole. */
export function notePaid(work: RunWork, progress: NodeProgress): undefined {
  if (isReusing(work))
    progress.reused = { savedMicros: progress.reused?.savedMicros ?? 0, from: null }
}

/** The node failed over an answer that it had got: nobody is given that answer again. */
export function noteUnusable(work: RunWork, path: string, error: unknown): void {
  if (error instanceof NodeFailure && work.journal) work.spoiled.push(path)
}

/**
 * Before the run ends, so that whoever sees the end does not find such an answer, and before anything
 * is stored after which the run may end without being executed again.
 */
export async function spoilUnusable(
  deps: Pick<RunDeps, 'reuse' | 'steps'>,
  work: RunWork,
): Promise<void> {
  const { row, spoiled } = work
  if (spoiled.length === 0 || !deps.reuse) return
  await work.stored
  const steps = (await deps.steps.ofRuns([row.id])).get(row.id) ?? []
  const isSpoiled = new Set(spoiled)
  const calls = steps.flatMap((step) => {
    if (step.status !== 'DONE' || !isSpoiled.has(step.path.replace(/#\d+$/, ''))) return []
    return [{ runId: row.id, path: step.path }, ...originalOf(step.reuse)]
  })
  if (calls.length > 0) await deps.reuse.spoil(row.account_id, calls)
}

/** An answer that came after its run had been stopped for good. It was paid for, so others find it. */
export function keepLate({ reuse, onError }: RunDeps, { row, halt }: RunWork, step: DoneStep) {
  const isForGood = halt.reason instanceof RunCancelled || halt.reason instanceof RunTimeUp
  if (!isForGood || !step.reuse) return
  reuse?.keepLate(row.account_id, step).catch((error) => onError(error, row.id))
}

const originalOf = (reuse: string | null | undefined): { runId: string; path: string }[] =>
  reuse?.startsWith('{') ? [JSON.parse(reuse)] : []
