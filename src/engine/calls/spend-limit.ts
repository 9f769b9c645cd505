import { Failure } from '#core/errors.ts'
import type { Spender } from '#core/generation.ts'
import { money } from '#core/money.ts'
import { judgeInOrder, type SpendBound, type SpendVerdict } from '#core/spend-admission.ts'
import type { Ledger } from '#store/engine-store.ts'

export const hasSpendLimit = (spender: Spender): boolean =>
  spender.accountSpendPerMonthMicros !== null || spender.limits.spendPerMonthMicros !== undefined

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

/** The limits that a spender's calls count against. */
export function boundsOfSpender(spender: Spender): SpendBound[] {
  const { accountId, keyId, accountSpendPerMonthMicros: ofAccount, limits } = spender
  const ofKey = limits.spendPerMonthMicros
  return [
    ...(ofAccount === null
      ? []
      : [{ scope: 'account' as const, id: accountId, limitMicros: ofAccount }]),
    ...(ofKey === undefined || keyId === null
      ? []
      : [{ scope: 'key' as const, id: keyId, limitMicros: ofKey }]),
  ]
}

/** Refuses a run whose calls certainly could not start: a limit is reached by what is spent. */
export async function assertMaySpend(
  ledger: Pick<Ledger, 'uses'>,
  spender: Spender,
  nowMs: number,
): Promise<void> {
  const bounds = boundsOfSpender(spender)
  if (bounds.length === 0) return
  const uses = await ledger.uses(spender.accountId, bounds, nowMs)
  const [verdict] = judgeInOrder([{ neededMicros: null, bounds }], uses)
  if (verdict?.is === 'refused') throw limitReached(verdict, null)
}

export const limitReached = (
  { bound, use }: Extract<SpendVerdict, { is: 'refused' }>,
  neededMicros: number | null,
): Failure =>
  new Failure('SPEND_LIMIT_REACHED', {
    details: {
      scope: bound.scope,
      limit: money(bound.limitMicros),
      committed: money(use.spentMicros + use.heldMicros),
      needed: neededMicros === null ? null : money(neededMicros),
    },
  })
