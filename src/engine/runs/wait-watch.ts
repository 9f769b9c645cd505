import { coalesce } from '#core/coalesce.ts'
import { type FallAsleepDeps, fallAsleep, lookAtWaits } from './fall-asleep.ts'
import type { WorkingRuns } from './run-deps.ts'

export type WaitWatch = {
  tick(): void
  /** Somebody has closed a wait of a run that a worker owns. */
  look(): void
  close(): void
}

/**
 * Watches the time and the answers that runs wait for: wakes those that sleep, in any process, and
 * continues those that this one executes.
 */
export function createWaitWatch(
  deps: FallAsleepDeps & {
    /** Looks for sleepers whose time has come, and claims them as far as there are slots. */
    claimDue(): Promise<void>
    onError(error: unknown): void
  },
  working: WorkingRuns,
): WaitWatch {
  const { waits, onError, clock: timers } = deps
  const waiting = () =>
    [...working.values()].filter((work) => work.hasWaits && work.waits().count() > 0)

  const lookOnce = async () => {
    const works = waiting()
    if (works.length === 0) return
    const due = works.filter((work) => {
      const nearest = work.waits().nearest()
      return nearest !== null && nearest.expiresAtMs !== null && nearest.leftMs <= 0
    })
    if (due.length > 0) await waits.passDue(due.map(({ row }) => row.id))
    await lookAtWaits(deps, works)
    // What a closed wait continues begins in this tick. Until then a run that has other waits looks as
    // if it were at rest, and would fall asleep over what it is about to do.
    for (const work of works) timers.nextTick(() => void fallAsleep(deps, work))
  }
  const own = coalesce(lookOnce, { onError, timers })
  const asleep = coalesce(deps.claimDue, { onError, timers })
  return {
    look: own.schedule,
    tick() {
      own.schedule()
      asleep.schedule()
    },
    close() {
      void own.stop()
      void asleep.stop()
    },
  }
}
