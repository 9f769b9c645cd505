// Notices when half, four fifths or all of a budget is spent. Looks at a budget soon after a call
// was admitted under it, and again for as long as calls in flight hold some of it. So nothing is
// looked at while nobody spends, and what another process settles is noticed as well. If its day or
// month has ended since the last look, that one is looked at as it ended.

import type { PassedThreshold } from '#core/budget-alert.ts'
import { periodAt, type SpendBound } from '#core/budgets.ts'
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

/** `sinceMs`: what was spent before was looked at. */
type Spent = { bound: SpendBound; sinceMs: number }

type Watched = { bounds: Map<string, Spent>; cancel(): void; looking: Promise<void> | null }

export function createBudgetAlerts({ ledger, clock, onPassed, onError }: Options): BudgetAlerts {
  const accounts = new Map<string, Watched>()
  let isClosed = false

  async function look(accountId: string, watched: Watched): Promise<void> {
    const spent = [...watched.bounds.values()]
    watched.bounds.clear()
    const nowMs = clock.nowMs()
    try {
      for (const [endMs, over] of endedPeriods(spent, nowMs)) {
        const { passed } = await ledger.recordPassed(accountId, over.map(boundOf), endMs - 1)
        for (const one of passed) onPassed(one)
      }
      const { passed, isHeld } = await ledger.recordPassed(accountId, spent.map(boundOf), nowMs)
      for (const one of passed) onPassed(one)
      if (isHeld) for (const { bound } of spent) add(watched, { bound, sinceMs: nowMs })
    } catch (error) {
      for (const one of spent) add(watched, one)
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
      for (const bound of bounds) add(watched, { bound, sinceMs: clock.nowMs() })
      if (known) return
      accounts.set(accountId, watched)
      lookLater(accountId, watched, firstLookMs)
    },
    /** What was admitted shortly before is looked at now. */
    async close() {
      isClosed = true
      for (const [accountId, watched] of [...accounts]) {
        watched.cancel()
        await watched.looking
        // A look under way may have come before something that was settled since.
        if (watched.bounds.size > 0) await look(accountId, watched)
      }
    },
  }
}

const boundOf = ({ bound }: Spent): SpendBound => bound

/** By their ends. */
const endedPeriods = (spent: readonly Spent[], nowMs: number): Map<number, Spent[]> => {
  const endOf = ({ bound, sinceMs }: Spent) => periodAt(bound.period, sinceMs).toMs
  return Map.groupBy(
    spent.filter((one) => endOf(one) <= nowMs),
    endOf,
  )
}

/** A newer bound of the same budget replaces an older one: it may have been raised. */
function add({ bounds }: Watched, { bound, sinceMs }: Spent): void {
  const before = bounds.get(bound.id)?.sinceMs ?? sinceMs
  bounds.set(bound.id, { bound, sinceMs: Math.min(before, sinceMs) })
}
