// Releases work that its worker cannot continue, so that another worker may try it a little later.
// Work that nobody can continue would be claimed and released for ever, so releases are counted and
// the last one ends it (decision 11).
import { delay, type TimedClock, type Timers } from '#core/clock.ts'
import { LeaseLost } from '#core/interruptions.ts'

/** Enough for temporary failures, few enough that permanent ones end soon. */
export const maxReleases = 5
const firstPauseMs = 2_000

export type Releasing = {
  /** How often this work was released before. */
  releases: number
  /** The work itself may be at fault. An unavailable store says nothing about it. */
  isCounted: boolean
  release(next: { atMs: number; releases: number }): Promise<unknown>
  quarantine(): Promise<unknown>
}

/** Tries until one of them is written, or until the work is no longer this worker's. */
export function releaseOrQuarantine(
  { releases, isCounted, release, quarantine }: Releasing,
  { clock, random, until }: { clock: TimedClock; random(): number; until: AbortSignal },
): Promise<void> {
  const counted = releases + (isCounted ? 1 : 0)
  if (counted >= maxReleases) return untilWritten(quarantine, { clock, until })
  // The pieces of one failed write return at different times, so that a bad one cannot spoil the
  // others again.
  const pauseMs = Math.round(firstPauseMs * 2 ** releases * (0.75 + 0.5 * random()))
  return untilWritten(() => release({ atMs: clock.nowMs() + pauseMs, releases: counted }), {
    clock,
    until,
  })
}

/** Tries until it is written, or until the work is no longer this worker's. */
export async function untilWritten(
  write: () => Promise<unknown>,
  { clock, until }: { clock: Timers; until: AbortSignal },
): Promise<void> {
  while (!until.aborted) {
    try {
      await write()
      return
    } catch (error) {
      if (error instanceof LeaseLost) return
      await delay(firstPauseMs, until, clock).catch(() => undefined)
    }
  }
}
