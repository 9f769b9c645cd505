// What a key with the scope `developer` may not do because its own spending is limited: somebody
// gave it that limit, and it could otherwise lift it or spend beside it.
import { type BudgetLine, budgetKey } from '#core/budgets.ts'
import { Failure } from '#core/errors.ts'
import type { Principal } from '#core/principal.ts'
import type { ConsoleContext } from '../context.ts'

const dailyBudget = ({ keyId, spending }: Principal): BudgetLine | undefined =>
  spending?.budgets?.[budgetKey({ scope: 'key', target: keyId ?? '', period: 'day' })]

/** `what` ends a sentence: it cannot … */
export function assertUnlimited({ key }: ConsoleContext, what: string): void {
  if (!key) return
  if (key.limits.spendPerMonthMicros === undefined && !dailyBudget(key)) return
  const message = `A key with a spend limit of its own cannot ${what}.`
  throw new Failure('INSUFFICIENT_SCOPE', { message })
}

/** A monthly limit is handed on to a new key; a daily budget names the one that it holds for. */
export function assertMayMakeKeys({ key }: ConsoleContext): void {
  if (!key || !dailyBudget(key)) return
  const message = 'A key with a daily budget cannot make keys, because they would be without it.'
  throw new Failure('INSUFFICIENT_SCOPE', { message })
}
