// A call that waits for its turn in a lane.
import type { TimedClock } from '#core/clock.ts'
import { Interruption, Stopping, TimeUp } from '#core/interruptions.ts'
import type { StopSignal } from '#core/stop.ts'
import { ProviderError } from '#providers/provider.ts'
import type { FairQueue } from './fair-queue.ts'

export type LaneCall = {
  accountId: string
  /** Nobody waits for its answer. */
  isBatch: boolean
  /** The most it may use. */
  tokens: number
  /** The provider's name of it. */
  model: string
  /** Since when it wants to go, by the clock; left out: since now. */
  sinceMs?: number | undefined
  /** Ends the wait. */
  until: StopSignal
}

/** `left` is called once the call has ended: `unsent` if it was not made, null if nobody knows. */
export type LanePass = { left(usedTokens: number | null | 'unsent'): void }

export type LaneEntry = LaneCall & {
  sinceMs: number
  enteredMs: number
  admit(pass: LanePass): void
  refuse(error: unknown): void
}

export function enqueue(
  clock: TimedClock,
  queue: FairQueue<LaneEntry>,
  call: LaneCall,
): Promise<LanePass> {
  const { promise, resolve: admit, reject: refuse } = Promise.withResolvers<LanePass>()
  const { sinceMs = clock.nowMs() } = call
  const entry = { ...call, sinceMs, enteredMs: clock.monotonicMs(), admit, refuse }
  const leave = () => {
    if (queue.remove(entry)) refuse(leaving(entry))
  }
  queue.add(entry)
  if (call.until.aborted) leave()
  else call.until.addEventListener('abort', leave)
  return promise.finally(() => call.until.removeEventListener('abort', leave))
}

/** A run goes on later, somewhere else; a caller is told to try again. */
export function leaving({ isBatch, until: { reason } }: LaneEntry): unknown {
  if (!isBatch || reason instanceof TimeUp) return laneFull()
  return reason instanceof Interruption ? reason : new Stopping()
}

const laneFull = () =>
  new ProviderError('busy', {
    outcome: 'not_sent',
    message: 'The limits of the provider key are used up. Nothing was sent.',
    retryAfterMs: 5_000,
  })
