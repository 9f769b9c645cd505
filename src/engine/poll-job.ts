import { delay } from '#core/clock.ts'
import { type JobRef, type PollState, type Provider, ProviderError } from '#providers/provider.ts'
import type { TaskWork } from './task-work.ts'

/** The process is stopping: the job goes on at the provider and another worker polls it. */
export class Stopping extends Error {
  override name = 'Stopping'
}

/** The reason a task's signal aborts with at its time limit. */
export class TimeUp extends Error {
  override name = 'TimeUp'
}

type Ended =
  | Extract<PollState, { state: 'succeeded' | 'failed' | 'canceled' }>
  | { state: 'time-up' }

const longestErrorPauseMs = 30_000

/** Asks until the job ends. Errors of asking are never the job's end; only the time limit is. */
export async function pollUntilDone(
  provider: Provider,
  ref: JobRef,
  work: TaskWork,
): Promise<Ended> {
  if (!provider.poll) throw new Error(`${provider.name} gave a job reference but cannot poll`)
  let errorPauseMs = 500
  for (;;) {
    if (work.stopping.aborted) throw new Stopping()
    if (work.signal.aborted) return timeUpOrThrow(work.signal)
    let nextMs: number
    try {
      const seen = await provider.poll(ref, { signal: work.signal })
      if (!('nextMs' in seen)) return seen
      nextMs = seen.nextMs
      errorPauseMs = 500
    } catch (error) {
      if (work.signal.aborted) continue
      if (error instanceof ProviderError && error.kind === 'not_found')
        return { state: 'failed', error }
      nextMs =
        error instanceof ProviderError && error.retryAfterMs !== undefined
          ? error.retryAfterMs
          : errorPauseMs
      errorPauseMs = Math.min(errorPauseMs * 2, longestErrorPauseMs)
    }
    await delay(nextMs, AbortSignal.any([work.signal, work.stopping])).catch(() => undefined)
  }
}

function timeUpOrThrow({ reason }: AbortSignal): Ended {
  if (reason instanceof TimeUp) return { state: 'time-up' }
  throw reason
}
