import type { CallFacts } from '#core/settled-call.ts'
import type { ProviderError } from '#providers/provider.ts'
import type { Remark, Units } from '#store/engine-store.ts'

/** How an attempt ended, as the ledger keeps it. */
export type AttemptEnd = {
  outcome: 'SUCCEEDED' | 'FAILED' | 'REJECTED' | 'UNKNOWN'
  units: Units
  costMicros: number | null
  remark?: Remark | undefined
} & CallFacts

export const notMade: AttemptEnd = { outcome: 'REJECTED', units: {}, costMicros: 0 }

/** The provider says itself that it failed, and bills nothing for that. */
export const free: AttemptEnd = { outcome: 'FAILED', units: {}, costMicros: 0 }

/** What may have been billed counts as spent until someone knows better. */
export const endAfter = (
  { outcome, isFree }: ProviderError,
  neededMicros: number | null,
): AttemptEnd => {
  if (outcome !== 'unknown') return notMade
  return isFree ? free : { outcome: 'UNKNOWN', units: {}, costMicros: neededMicros }
}
