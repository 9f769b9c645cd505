// One paid call that is answered whole and is no conversation, such as an embedding. It keeps the
// promises of text-attempt.ts: stored before it is made, made once, settled afterwards. Unlike a
// chat it never falls back to another model, because the caller depends on the one it named.
import type { Spender } from '#core/generation.ts'
import { uuidV7 } from '#core/ids.ts'
import { type PricedUnits, priceOf } from '#core/pricing.ts'
import type { CatalogueEntry } from '#providers/catalogue.ts'
import { ProviderError } from '#providers/provider.ts'
import type { Attempt } from '#store/tables/ledger.ts'
import { asProviderError, toFailure } from './provider-failure.ts'
import { hasSpendLimit } from './spend-limit.ts'
import type { TextCallDeps } from './text-attempt.ts'

type PaidCallDeps = Pick<TextCallDeps, 'ledger' | 'breaker' | 'clock' | 'onError'>

export type PaidCall<T> = {
  operation: Attempt['operation']
  principal: Spender
  entry: CatalogueEntry
  /** The most it can use: under a spend limit, the price of this is reserved. */
  most: PricedUnits
  /** What it will probably use. Counts as spent if its outcome is never known. */
  expected: PricedUnits
  ask(): Promise<T>
  /** What the provider says it used; null where it does not count. */
  usedBy(answer: T): PricedUnits | null
}

export type Paid<T> = { id: string; answer: T; units: PricedUnits; costMicros: number | null }

export async function makePaidCall<T>(deps: PaidCallDeps, call: PaidCall<T>): Promise<Paid<T>> {
  const { principal, entry, most, expected } = call
  const { pricing } = entry.model
  const createdAtMs = deps.clock.nowMs()
  const attempt = uuidV7(createdAtMs)
  const neededMicros = priceOf(pricing, hasSpendLimit(principal) ? most : expected)
  const settle = (end: Omit<Parameters<typeof deps.ledger.settle>[0], 'attempt'>) =>
    deps.ledger.settle({ attempt, ...end })?.catch((error: unknown) => deps.onError?.(error))

  async function ask(): Promise<T> {
    const opened = deps.ledger.open(
      { attempt, createdAtMs, ...recordOf(call), reservedMicros: neededMicros ?? 0 },
      { spender: principal, neededMicros },
    )
    if (opened) await opened
    try {
      return await call.ask()
    } catch (thrown) {
      const error = asProviderError(thrown)
      const mayBeBilled = error.outcome === 'unknown'
      await settle({
        outcome: mayBeBilled ? 'UNKNOWN' : 'REJECTED',
        units: {},
        costMicros: mayBeBilled ? neededMicros : 0,
      })
      throw error
    }
  }

  try {
    const answer = await deps.breaker.guard(entry, ask)
    const used = call.usedBy(answer)
    const { units, isClamped } = used ? clamp(used, most) : { units: expected, isClamped: false }
    const costMicros = used ? priceOf(pricing, units) : null
    const remark = isClamped ? 'CLAMPED' : undefined
    await settle({ outcome: 'SUCCEEDED', units, costMicros, remark })
    return { id: attempt, answer, units, costMicros }
  } catch (error) {
    throw error instanceof ProviderError ? toFailure(error) : error
  }
}

const recordOf = ({ operation, principal, entry: { provider, model } }: PaidCall<unknown>) => ({
  accountId: principal.accountId,
  keyId: principal.keyId,
  taskId: null,
  runId: null,
  nodeId: null,
  operation,
  provider,
  model: model.id,
  unitPrice: model.pricing && JSON.stringify(model.pricing),
})

/** No report of a provider beyond the bounds of the call is believed. */
function clamp(used: PricedUnits, most: PricedUnits) {
  const names = Object.keys(used) as (keyof PricedUnits)[]
  const entries = names.map((name) => {
    const count = Math.max(used[name] ?? 0, 0)
    return [name, Math.min(count, most[name] ?? count)] as const
  })
  const units: PricedUnits = Object.fromEntries(entries)
  return { units, isClamped: entries.some(([name, count]) => count !== used[name]) }
}
