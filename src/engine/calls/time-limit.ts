import type { Timers } from '#core/clock.ts'
import { TimeUp } from '#core/interruptions.ts'
import { Stop, type StopSignal } from '#core/stop.ts'

/** How long a call may be silent, and how long it may take; an answer that comes whole is silent. */
export type CallTimes = { timeoutMs: number; totalMs: number }

/**
 * One signal for a call: it aborts when its caller leaves or its time is up, and says which. It is
 * a class for the same reason as Stop: every chat creates one.
 */
export class TimeLimit extends Stop {
  startedAtMs = 0
  /** Since when the provider is awaited; Infinity while the reader of a stream is. */
  silentSinceMs = 0
  /** Of a stream that outlived its first time limit. */
  cancelNextLook: (() => void) | undefined = undefined
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
    this.cancelNextLook?.()
  }
}

export type TimeLimits = ReturnType<typeof createTimeLimits>

/** How a call waits for its start; `over` once it may start. */
export type StartWait = { readonly until: StopSignal; readonly isOfRun: boolean; over(): void }

/**
 * All calls have the same time, so they are looked at in the order they began: one timer is enough.
 * A stream that has said something meanwhile goes on, and from then on has a timer of its own,
 * which is set once per look and not once per piece.
 */
export function createTimeLimits({ timeoutMs, totalMs }: CallTimes, timers: Timers) {
  const firstLookMs = Math.min(timeoutMs, totalMs)
  const underWay = new Set<TimeLimit>()
  let cancel: (() => void) | undefined

  function lookUntil(dueMs: number) {
    cancel = undefined
    for (const limit of underWay) {
      const lookAtMs = limit.startedAtMs + firstLookMs
      if (lookAtMs > dueMs) {
        // A process that was blocked may be late for this one too.
        cancel = timers.after(leftUntil(lookAtMs), () => lookUntil(lookAtMs))
        return
      }
      underWay.delete(limit)
      look(limit, lookAtMs)
    }
  }

  const leftUntil = (atMs: number) => Math.max(0, atMs - timers.monotonicMs())

  function look(limit: TimeLimit, nowMs: number) {
    limit.cancelNextLook = undefined
    const silentUntilMs = Math.min(limit.silentSinceMs, nowMs) + timeoutMs
    const endsAtMs = Math.min(silentUntilMs, limit.startedAtMs + totalMs)
    if (endsAtMs <= nowMs) return limit.abort(new TimeUp('The chat time is up.'))
    limit.cancelNextLook = timers.after(leftUntil(endsAtMs), () => look(limit, endsAtMs))
  }

  /** The time of this one begins now, so it expires last. */
  function begin(limit: TimeLimit): void {
    limit.startedAtMs = timers.monotonicMs()
    limit.silentSinceMs = limit.startedAtMs
    underWay.delete(limit)
    underWay.add(limit)
    const lookAtMs = limit.startedAtMs + firstLookMs
    cancel ??= timers.after(firstLookMs, () => lookUntil(lookAtMs))
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

/** Aborts what is not done in time; afterwards only the signal itself counts. 0: no limit. */
export async function withinTime<T>(
  timers: Timers,
  { signal, limitMs }: { signal: StopSignal; limitMs: number },
  work: (signal: StopSignal) => Promise<T>,
): Promise<T> {
  if (limitMs === 0) return work(signal)
  const limit = new TimeLimit(signal)
  const cancel = timers.after(limitMs, () => limit.abort(new TimeUp('The attempt time is up.')))
  try {
    return await work(limit)
  } catch (error) {
    limit.close()
    throw error
  } finally {
    cancel()
  }
}

/** Awaits the provider. However long the reader then takes with the piece is no silence. */
export async function nextPiece<Piece>(
  pieces: AsyncIterator<Piece, void, undefined>,
  limit: TimeLimit,
  timers: Timers,
): Promise<IteratorResult<Piece, void>> {
  limit.silentSinceMs = timers.monotonicMs()
  const next = await pieces.next()
  limit.silentSinceMs = Infinity
  return next
}
