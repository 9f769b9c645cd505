import { delay } from '#core/clock.ts'
import { Stopping, TimeUp } from '#core/interruptions.ts'
import { NodeFailure } from '#nodes/execution/node-execution.ts'
import { type JobRef, type PollState, type Provider, ProviderError } from '#providers/provider.ts'
import type { Ask } from './task-serving.ts'
import type { TaskWork } from './task-work.ts'

type Ended =
  | Extract<PollState, { state: 'succeeded' | 'failed' | 'canceled' }>
  /** The provider no longer knows it, or not with this key: what became of it, nobody can tell. */
  | { state: 'gone'; error: ProviderError | NodeFailure }
  | { state: 'time-up' }

const firstErrorPauseMs = 500
const longestErrorPauseMs = 30_000
/** A new job may not be known everywhere at once, so one "not found" says nothing. */
const notFoundUntilGone = 5

/**
 * Asks until the job ends. Errors of asking are never the job's end; only the time limit is, and
 * that the account deleted the key that alone can ask.
 */
export async function pollUntilDone(ask: Ask, ref: JobRef, work: TaskWork): Promise<Ended> {
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
    await delay(nextMs, AbortSignal.any([work.signal, work.stopping])).catch(() => undefined)
  }
}

function poll(provider: Provider, ref: JobRef, { signal }: TaskWork): Promise<PollState> {
  if (!provider.poll) throw new Error(`${provider.name} gave a job reference but cannot poll`)
  return provider.poll(ref, { signal })
}

/** The operator will mend a key of the server; one of an account may never have known the job. */
const isUnknownTo = ({ kind }: ProviderError, { row }: TaskWork): boolean =>
  kind === 'not_found' || (kind === 'auth' && row.credential_id !== null)

function timeUpOrThrow({ reason }: AbortSignal): Ended {
  if (reason instanceof TimeUp) return { state: 'time-up' }
  throw reason
}
