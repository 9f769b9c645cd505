import { boundsOfSpender, isBudgeted, type SpendBound } from '#core/budgets.ts'
import { Failure } from '#core/errors.ts'
import type { Spender } from '#core/generation.ts'
import { money } from '#core/money.ts'
import { judgeInOrder, type SpendVerdict } from '#core/spend-admission.ts'
import type { Ledger } from '#store/engine-store.ts'

export const hasSpendLimit = (spender: Spender): boolean =>
  spender.accountSpendPerMonthMicros !== null ||
  spender.limits.spendPerMonthMicros !== undefined ||
  spender.isBudgeted === true ||
  (spender.spending !== undefined && isBudgeted(spender, spender.spending))

/** A call without a known price would pass every limit. */
export const unpricedModel = (modelId: string): Failure =>
  new Failure('UNPRICED_MODEL', {
    message: `The price of model "${modelId}" is not known, so it cannot be called under a spend limit or maxCost. Set a stand-in price for it, or use another model.`,
    details: { model: modelId },
  })

export const isUnpriced = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'UNPRICED_MODEL'

/** Before a run starts: it would otherwise be paid up to the node that no limit lets through. */
export function assertPriced(
  spender: Spender,
  models: readonly string[],
  { hasMaxCost }: { hasMaxCost: boolean },
): void {
  if (!hasMaxCost && !hasSpendLimit(spender)) return
  const unpriced = models.find((id) => spender.standIns?.[id] === undefined)
  if (unpriced !== undefined) throw unpricedModel(unpriced)
}

/** Refuses a run whose calls certainly could not start: a limit is reached by what is spent. */
export async function assertMaySpend(
  ledger: Pick<Ledger, 'uses'>,
  spender: Spender,
  nowMs: number,
): Promise<void> {
  const bounds = boundsOfSpender(spender, { spending: spender.spending, nowMs })
  if (bounds.length === 0) return
  const uses = await ledger.uses(spender.accountId, bounds, nowMs)
  const [verdict] = judgeInOrder([{ neededMicros: null, bounds }], uses)
  if (verdict?.is === 'refused') throw limitReached(verdict, null)
}

export function limitReached(
  { bound, use }: Extract<SpendVerdict, { is: 'refused' }>,
  neededMicros: number | null,
): Failure {
  const { scope, target, period, limitMicros } = bound
  return new Failure('SPEND_LIMIT_REACHED', {
    message: messageOf(bound),
    details: {
      ...{ scope, period, ...(target === '' ? {} : { target }) },
      limit: money(limitMicros),
      committed: money(use.spentMicros + use.heldMicros),
      needed: neededMicros === null ? null : money(neededMicros),
    },
  })
}

function messageOf({ scope, target, period }: SpendBound): string {
  const whose = scope === 'account' ? 'your account' : `${scope} "${target}"`
  return `The spend limit of ${whose} is reached for this ${period}. Raise it or wait for the next ${period}.`
}
