import type { Timers } from '#core/clock.ts'
import { TimeUp } from '#core/interruptions.ts'
import { Stop, type StopSignal } from '#core/stop.ts'

/**
 * One signal for a call: it aborts when its caller leaves or its time is up, and says which. It is
 * a class for the same reason as Stop: every chat creates one.
 */
export class TimeLimit extends Stop {
  endsAtMs = 0
  readonly #caller: StopSignal
  readonly #leave = () => this.abort(this.#caller.reason)

  constructor(caller: StopSignal) {
    super()
    this.#caller = caller
    if (caller.aborted) this.#leave()
    else caller.addEventListener('abort', this.#leave)
  }

  close(): void {
    this.#caller.removeEventListener('abort', this.#leave)
  }
}

/** How a call waits for its start; `over` once it may start. */
export type StartWait = { readonly until: StopSignal; readonly isOfRun: boolean; over(): void }

/** All calls have the same time, so they expire in the order they began: one timer is enough. */
export function createTimeLimits(timeoutMs: number, timers: Timers) {
  const underWay = new Set<TimeLimit>()
  let cancel: (() => void) | undefined

  function expireUntil(dueMs: number) {
    cancel = undefined
    for (const limit of underWay) {
      const { endsAtMs } = limit
      if (endsAtMs > dueMs) {
        // A process that was blocked may be late for this one too.
        const leftMs = Math.max(0, endsAtMs - timers.monotonicMs())
        cancel = timers.after(leftMs, () => expireUntil(endsAtMs))
        return
      }
      underWay.delete(limit)
      expire(limit)
    }
  }

  /** The time of this one begins now, so it expires last. */
  function begin(limit: TimeLimit): void {
    limit.endsAtMs = timers.monotonicMs() + timeoutMs
    underWay.delete(limit)
    underWay.add(limit)
    const { endsAtMs } = limit
    cancel ??= timers.after(timeoutMs, () => expireUntil(endsAtMs))
  }

  return {
    open(caller: StopSignal): TimeLimit {
      const limit = new TimeLimit(caller)
      begin(limit)
      return limit
    },
    /**
     * For a call that may have to wait for its start. A caller who waits does so no longer than the
     * call may take; a run waits until `until`, and meanwhile the time stands still. Once it has
     * started, the call may take as long as any other.
     */
    waitOf(limit: TimeLimit, until?: StopSignal): StartWait {
      if (until) underWay.delete(limit)
      return {
        until: until ?? limit,
        isOfRun: until !== undefined,
        over: () => begin(limit),
      }
    },
    close(limit: TimeLimit): void {
      limit.close()
      underWay.delete(limit)
      if (underWay.size > 0) return
      cancel?.()
      cancel = undefined
    },
  }
}

const expire = (limit: TimeLimit): void => limit.abort(new TimeUp('The chat time is up.'))

/** Between two pieces. Before the first, a model may think for as long as the call may take. */
const idleMs = 60_000

/** Ends the call if the next piece takes too long, once the first has arrived. */
export async function nextPiece<Piece>(
  pieces: AsyncIterator<Piece, void, undefined>,
  limit: TimeLimit,
  { hasBegun, timers }: { hasBegun: boolean; timers: Timers },
): Promise<IteratorResult<Piece, void>> {
  if (!hasBegun) return pieces.next()
  const cancel = timers.after(idleMs, () => expire(limit))
  try {
    return await pieces.next()
  } finally {
    cancel()
  }
}
