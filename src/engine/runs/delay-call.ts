// A call of a node that is made later: its provider is busy, or the last attempt failed. A run that
// has nothing else to do sleeps meanwhile, as it does for a wait (fall-asleep.ts). What is delayed is
// stored with the state of the node: readers see why, and whoever wakes the run goes on from there.
import { delay } from '#core/clock.ts'
import { type CallDelay, type DelayedCall, shortestSleepMs } from '#core/delayed-call.ts'
import { Stopping } from '#core/interruptions.ts'
import type { NodeProgress } from '#core/run-nodes.ts'
import type { CallSite } from './call-site.ts'
import type { NodeScope } from './node-scope.ts'

/** All delays of one call together last no longer than a run may take, or until its deadline. */
export function mayBeDelayed(
  { deps, work }: NodeScope,
  { sinceMs, untilMs }: { sinceMs: number; untilMs: number },
): boolean {
  const deadlineMs = work.row.options?.deadlineMs
  if (deadlineMs !== undefined) return untilMs < deadlineMs
  return untilMs - sinceMs <= deps.delayedAtMostMs
}

/** Nobody has to know of a shorter delay. */
const shownAfterMs = 1_000
const lookAgainMs = 500

/** Rejects if the run ends, sleeps or continues in another process. */
export async function delayCall(
  { deps, work, halt }: NodeScope,
  { progress }: CallSite,
  delayed: DelayedCall,
  ms: number,
): Promise<void> {
  const ending = AbortSignal.any([deps.stopping, halt.ending()])
  show(work, progress, delayed)
  const rest = ms > shortestSleepMs ? beginRest(work, ms) : undefined
  try {
    await delay(Math.max(0, ms), ending, deps.clock)
    // The write may be held up. If it is made, this execution is over; otherwise the call goes on.
    while (rest && work.waits().isFallingAsleep) await delay(lookAgainMs, ending, deps.clock)
  } catch {
    halt.throwIfEnding()
    throw new Stopping()
  } finally {
    rest?.end()
    hide(work, progress, delayed)
  }
}

/**
 * Only the run as a whole rests. Its node is shown as running, and items of a list keep their places:
 * others would begin, and be delayed as well.
 */
function beginRest({ activity, waits }: NodeScope['work'], ms: number): { end(): void } {
  const endPause = waits().pause(ms)
  activity.beginWait()
  activity.end()
  return {
    end() {
      activity.begin()
      activity.endWait()
      endPause()
    },
  }
}

/** For a call that waits by itself. Returns what ends that. */
export function showDelay(
  { deps: { clock }, work }: Pick<NodeScope, 'deps' | 'work'>,
  { progress }: Pick<CallSite, 'progress'>,
  { path, delay: why }: { path: string; delay: CallDelay },
): () => void {
  const delayed = { ...why, path, sinceMs: clock.nowMs(), untilMs: null, attempts: 0, failures: 0 }
  const cancel = clock.after(shownAfterMs, () => show(work, progress, delayed))
  return () => {
    cancel()
    hide(work, progress, delayed)
  }
}

function show(work: NodeScope['work'], progress: NodeProgress, delayed: DelayedCall) {
  progress.delayed = [...(progress.delayed ?? []), delayed]
  work.isChanged = true
}

function hide(work: NodeScope['work'], progress: NodeProgress, delayed: DelayedCall) {
  if (!progress.delayed?.includes(delayed)) return
  const left = progress.delayed.filter((one) => one !== delayed)
  if (left.length > 0) progress.delayed = left
  else delete progress.delayed
  work.isChanged = true
}
