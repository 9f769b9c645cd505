// Notices when half, four fifths or all of a budget is spent. Looks at a budget soon after a call
// was admitted under it, and again for as long as calls in flight hold some of it. So nothing is
// looked at while nobody spends, and what another process settles is noticed as well.

import type { PassedThreshold } from '#core/budget-alert.ts'
import type { SpendBound } from '#core/budgets.ts'
import type { TimedClock } from '#core/clock.ts'
import type { Ledger } from '#store/engine-store.ts'

const firstLookMs = 1_000
const nextLookMs = 5_000

export type BudgetAlerts = {
  watch(accountId: string, bounds: readonly SpendBound[]): void
  close(): Promise<void>
}

type Options = {
  ledger: Pick<Ledger, 'recordPassed'>
  clock: TimedClock
  onPassed(passed: PassedThreshold): void
  onError(error: unknown): void
}

type Watched = { bounds: Map<string, SpendBound>; cancel(): void; looking: Promise<void> | null }

export function createBudgetAlerts({ ledger, clock, onPassed, onError }: Options): BudgetAlerts {
  const accounts = new Map<string, Watched>()
  let isClosed = false

  async function look(accountId: string, watched: Watched): Promise<void> {
    const bounds = [...watched.bounds.values()]
    watched.bounds.clear()
    try {
      const { passed, isHeld } = await ledger.recordPassed(accountId, bounds, clock.nowMs())
      for (const one of passed) onPassed(one)
      if (isHeld) add(watched, bounds)
    } catch (error) {
      add(watched, bounds)
      onError(error)
    }
    watched.looking = null
    if (watched.bounds.size === 0 || isClosed) accounts.delete(accountId)
    else lookLater(accountId, watched, nextLookMs)
  }

  function lookLater(accountId: string, watched: Watched, afterMs: number) {
    watched.cancel = clock.after(afterMs, () => {
      watched.looking = look(accountId, watched)
    })
  }

  return {
    watch(accountId, bounds) {
      if (isClosed || bounds.length === 0) return
      const known = accounts.get(accountId)
      const watched = known ?? { bounds: new Map(), cancel: () => undefined, looking: null }
      add(watched, bounds)
      if (known) return
      accounts.set(accountId, watched)
      lookLater(accountId, watched, firstLookMs)
    },
    /** What was admitted shortly before is looked at now. */
    async close() {
      isClosed = true
      for (const [accountId, watched] of [...accounts]) {
        watched.cancel()
        await (watched.looking ?? look(accountId, watched))
      }
    },
  }
}

/** A newer bound of the same budget replaces an older one: it may have been raised. */
function add({ bounds }: Watched, more: readonly SpendBound[]): void {
  for (const bound of more) bounds.set(bound.id, bound)
}
