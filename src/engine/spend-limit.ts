import { Failure } from '#core/errors.ts'
import type { Spender } from '#core/generation.ts'
import { money } from '#core/money.ts'
import type { Tx } from '#store/db.ts'
import { dayOf } from '#store/tables/day-sums.ts'
import { committedMicros } from '#store/tables/ledger.ts'
import { lockAccountSpend } from '#store/tables/sequences.ts'

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

/**
 * Counts what is spent this month and what is in flight; concurrent checks of an account queue up.
 * A free call always passes; null asks whether anything is left.
 */
export async function assertWithinLimits(
  tx: Tx,
  spender: Spender,
  { neededMicros, nowMs }: { neededMicros: number | null; nowMs: number },
) {
  if (neededMicros === 0) return
  await lockAccountSpend(tx, spender.accountId)
  const fromDay = `${dayOf(nowMs).slice(0, 7)}-01`
  const limits = [
    { scope: 'account', keyId: null, limit: spender.accountSpendPerMonthMicros },
    { scope: 'key', keyId: spender.keyId, limit: spender.limits.spendPerMonthMicros ?? null },
  ]
  for (const { scope, keyId, limit } of limits) {
    if (limit === null) continue
    const committed = await committedMicros(tx, spender.accountId, { keyId, fromDay })
    const isWithin = neededMicros === null ? committed < limit : committed + neededMicros <= limit
    if (isWithin) continue
    throw new Failure('SPEND_LIMIT_REACHED', {
      details: {
        scope,
        limit: money(limit),
        committed: money(committed),
        needed: neededMicros === null ? null : money(neededMicros),
      },
    })
  }
}
