// The event that tells a receiver how much of a budget is spent.
import type { AlertPercent, BudgetName } from './budgets.ts'
import { periodAt } from './budgets.ts'
import { toRfc3339 } from './clock.ts'
import { money } from './money.ts'

export const budgetAlertType = 'budget.alert'

export type PassedThreshold = BudgetName & {
  percent: AlertPercent
  limitMicros: number
  spentMicros: number
  atMs: number
}

export function budgetAlert(passed: PassedThreshold): string {
  const { scope, target, period, percent, limitMicros, spentMicros, atMs } = passed
  const { fromMs, toMs } = periodAt(period, atMs)
  const data = {
    ...{ scope, target: target === '' ? null : target, period, percent },
    ...{ limit: money(limitMicros), spent: money(spentMicros) },
    ...{ periodStart: toRfc3339(fromMs), resetsAt: toRfc3339(toMs) },
  }
  return JSON.stringify({ type: budgetAlertType, timestamp: toRfc3339(atMs), data })
}
