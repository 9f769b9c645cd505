import { delay, type Timers } from '#core/clock.ts'
import { Stopping, TimeUp } from '#core/interruptions.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import { type JobRef, type PollState, type Provider, ProviderError } from '#providers/provider.ts'
import type { Ask } from './task-serving.ts'
import type { TaskWork } from './task-work.ts'

type Ended =
  | Extract<PollState, { state: 'succeeded' | 'failed' | 'canceled' }>
  /** The provider no longer knows the job, or not with this key, so its outcome is unknown. */
  | { state: 'gone'; error: ProviderError | NodeFailure }
  | { state: 'time-up' }

const firstErrorPauseMs = 500
const longestErrorPauseMs = 30_000
/** A new job may not be known everywhere at once, so one "not found" says nothing. */
const notFoundUntilGone = 5

/**
 * Polls until the job ends. A failed poll does not end it; only the time limit does, the loss of
 * the account's key, or several answers in a row that the provider does not know the job.
 */
export async function pollUntilDone(
  { clock }: { clock: Timers },
  ask: Ask,
  ref: JobRef,
  work: TaskWork,
): Promise<Ended> {
  let errorPauseMs = firstErrorPauseMs
  let notFound = 0
  for (;;) {
    if (work.stopping.aborted) throw new Stopping()
    if (work.signal.aborted) return timeUpOrThrow(work.signal)
    let nextMs: number
    try {
      const seen = await ask(({ provider }) => poll(provider, ref, work))
      if (!('nextMs' in seen)) return seen
      nextMs = seen.nextMs
      errorPauseMs = firstErrorPauseMs
      notFound = 0
    } catch (error) {
      if (work.signal.aborted) continue
      if (error instanceof NodeFailure) return { state: 'gone', error }
      const known = error instanceof ProviderError ? error : undefined
      notFound = known && isUnknownTo(known, work) ? notFound + 1 : 0
      if (known && notFound === notFoundUntilGone) return { state: 'gone', error: known }
      nextMs = known?.retryAfterMs ?? errorPauseMs
      if (nextMs === errorPauseMs) errorPauseMs = Math.min(errorPauseMs * 2, longestErrorPauseMs)
    }
    const ending = AbortSignal.any([work.signal, work.stopping])
    await delay(nextMs, ending, clock).catch(() => undefined)
  }
}

function poll(provider: Provider, ref: JobRef, { signal }: TaskWork): Promise<PollState> {
  if (!provider.poll) throw new Error(`${provider.name} gave a job reference but cannot poll`)
  return provider.poll(ref, { signal })
}

/** The operator will fix the server's key; an account's key may never have known the job. */
const isUnknownTo = ({ kind }: ProviderError, { row }: TaskWork): boolean =>
  kind === 'not_found' || (kind === 'auth' && row.credential_id !== null)

function timeUpOrThrow({ reason }: AbortSignal): Ended {
  if (reason instanceof TimeUp) return { state: 'time-up' }
  throw reason
}
