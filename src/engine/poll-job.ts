import { delay } from '#core/clock.ts'
import { Stopping, TimeUp } from '#core/interruptions.ts'
import { type JobRef, type PollState, type Provider, ProviderError } from '#providers/provider.ts'
import type { TaskWork } from './task-work.ts'

type Ended =
  | Extract<PollState, { state: 'succeeded' | 'failed' | 'canceled' }>
  /** The provider no longer knows it: what became of it, nobody can tell. */
  | { state: 'gone'; error: ProviderError }
  | { state: 'time-up' }

const firstErrorPauseMs = 500
const longestErrorPauseMs = 30_000
/** A new job may not be known everywhere at once, so one "not found" says nothing. */
const notFoundUntilGone = 5

/** Asks until the job ends. Errors of asking are never the job's end; only the time limit is. */
export async function pollUntilDone(
  provider: Provider,
  ref: JobRef,
  work: TaskWork,
): Promise<Ended> {
  if (!provider.poll) throw new Error(`${provider.name} gave a job reference but cannot poll`)
  let errorPauseMs = firstErrorPauseMs
  let notFound = 0
  for (;;) {
    if (work.stopping.aborted) throw new Stopping()
    if (work.signal.aborted) return timeUpOrThrow(work.signal)
    let nextMs: number
    try {
      const seen = await provider.poll(ref, { signal: work.signal })
      if (!('nextMs' in seen)) return seen
      nextMs = seen.nextMs
      errorPauseMs = firstErrorPauseMs
      notFound = 0
    } catch (error) {
      if (work.signal.aborted) continue
      const known = error instanceof ProviderError ? error : undefined
      notFound = known?.kind === 'not_found' ? notFound + 1 : 0
      if (known && notFound === notFoundUntilGone) return { state: 'gone', error: known }
      nextMs = known?.retryAfterMs ?? errorPauseMs
      if (nextMs === errorPauseMs) errorPauseMs = Math.min(errorPauseMs * 2, longestErrorPauseMs)
    }
    await delay(nextMs, AbortSignal.any([work.signal, work.stopping])).catch(() => undefined)
  }
}

function timeUpOrThrow({ reason }: AbortSignal): Ended {
  if (reason instanceof TimeUp) return { state: 'time-up' }
  throw reason
}
