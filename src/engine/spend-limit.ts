import { Failure } from '#core/errors.ts'
import type { Spender } from '#core/generation.ts'
import { money } from '#core/money.ts'
import type { Tx } from '#store/db.ts'
import { dayOf } from '#store/tables/day-sums.ts'
import { committedMicros } from '#store/tables/ledger.ts'
import { lockAccountSpend } from '#store/tables/sequences.ts'

export const hasSpendLimit = (spender: Spender): boolean =>
  spender.accountSpendPerMonthMicros !== null || spender.limits.spendPerMonthMicros !== undefined

/**
 * Counts what is spent this month and what is in flight; concurrent checks of an account queue up.
 * A free call always passes; one without a known price (null) passes until the limit is reached.
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
