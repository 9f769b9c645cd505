import type { Clock } from '#core/clock.ts'
import type { Ask, RouteAnswer } from './route-call.ts'
import { readWork, stateOf, type Work, type WorkState } from './work.ts'

/** Less than a minute, after which most clients abort a call. */
export const patienceMs = 50_000

/** Short of the limits on silence that clients and proxies have, the shortest being 15 seconds. */
const beatMs = 10_000

export type Time = Clock & {
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** The server is about to end, and waits for nothing that takes long. */
  isStopping(): boolean
}

type Progress = { progress: number; total?: number; message: string }

/** Notifies a caller that asked for progress. */
export type Report = (progress: Progress) => Promise<void>

/**
 * Reports the progress of work. Returns its end, or its state after `patienceMs` or when the server
 * stops. If reading fails, it returns the last state that could be read; the work itself continues.
 */
export async function followWork(
  ask: Ask,
  time: Time,
  { work, report, signal }: { work: Work; report: Report; signal: AbortSignal },
  first: RouteAnswer,
): Promise<RouteAnswer> {
  const startMs = time.nowMs()
  let latest = first
  let reported = -1
  for (;;) {
    const state = stateOf(latest)
    if (state.completedAt || time.isStopping()) return latest
    const progress = progressOf(work, state, time.nowMs() - startMs)
    // The protocol requires each progress value to be larger than the one before.
    if (progress && progress.progress > reported) {
      reported = progress.progress
      await report(progress)
    }
    const pauseMs = Math.max(state.retryAfterSeconds, 1) * 1000
    if (time.nowMs() + pauseMs > startMs + patienceMs) return latest
    await time.wait(pauseMs, signal)
    const read = await readWork(ask, work, signal)
    if (read.status >= 400) return latest
    latest = read
  }
}

/** Counts the nodes of a run that have ended. Providers tell nothing of a task but its age. */
function progressOf({ kind }: Work, { status, progress }: WorkState, elapsedMs: number) {
  if (kind === 'task') return { progress: Math.round(elapsedMs / 1000), message: status }
  if (!progress) return undefined
  const { total, completed, skipped, failed } = progress
  return { progress: completed + skipped + failed, total, message: status }
}

/**
 * Reports the seconds that a call has taken so far, until it has an answer. Without this, a chat
 * that a model thinks about for minutes looks to its client like one that was lost.
 */
export async function reportWaiting<T>(
  time: Time,
  report: Report | undefined,
  call: Promise<T>,
): Promise<T> {
  if (!report) return call
  const answered = new AbortController()
  const beat = async () => {
    for (let progress = beatMs / 1000; ; progress += beatMs / 1000) {
      await time.wait(beatMs, answered.signal)
      await report({ progress, message: 'Waiting for the answer' })
    }
  }
  // Ends when the call is answered, or when its caller has left, which the call notices itself.
  beat().catch(() => {})
  return call.finally(() => answered.abort())
}
