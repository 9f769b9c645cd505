// One paid call to one model, whose answer is not judged. It is recorded, made once and settled.
// Unlike a chat it never falls back to another model, because the caller depends on the one it
// named.

import { type CatalogueEntry, withStandIn } from '#core/catalogue.ts'
import type { Spender } from '#core/generation.ts'
import { uuidV7 } from '#core/ids.ts'
import { type PricedUnits, priceOf } from '#core/pricing.ts'
import { ProviderError } from '#providers/provider.ts'
import type { Attempt } from '#store/engine-store.ts'
import { asProviderError, toFailure } from './provider-failure.ts'
import { hasSpendLimit, unpricedModel } from './spend-limit.ts'
import type { TextCallDeps } from './text-attempt.ts'
import type { StartWait } from './time-limit.ts'

export type PaidCallDeps = Pick<TextCallDeps, 'ledger' | 'breaker' | 'clock' | 'onError'>

export type PaidCall<T> = {
  operation: Attempt['operation']
  principal: Spender
  entry: CatalogueEntry
  /** The most it can use. Under a spend limit, its price is reserved. */
  most: PricedUnits
  /** What it will probably use. Counts as spent if its outcome is never known. */
  expected: PricedUnits
  /** For a call that may have to wait for room under a spend limit. */
  wait?: StartWait | undefined
  /** Resolves once the provider has accepted. */
  ask(): Promise<T>
}

export type Paid = { units: PricedUnits; costMicros: number | null }

/** A call that a provider has accepted. Whoever opened it settles it, once, in one of two ways. */
export type AcceptedCall<T> = {
  id: string
  answer: T
  /** `used`: as counted by the provider; null if it reports no usage. */
  succeeded(used: PricedUnits | null): Promise<Paid>
  /** The answer broke off or the caller left: the call may be billed in full. */
  lost(): Promise<void>
}

export async function openPaidCall<T>(
  deps: PaidCallDeps,
  call: PaidCall<T>,
): Promise<AcceptedCall<T>> {
  const { principal, most, expected } = call
  const entry = withStandIn(call.entry, principal.standIns)
  const { pricing } = entry.model
  const createdAtMs = deps.clock.nowMs()
  const attempt = uuidV7(createdAtMs)
  const isLimited = hasSpendLimit(principal)
  const neededMicros = priceOf(pricing, isLimited ? most : expected)
  if (isLimited && neededMicros === null) throw unpricedModel(entry.model.id)
  const settle = async (end: Omit<Parameters<typeof deps.ledger.settle>[0], 'attempt'>) => {
    await deps.ledger.settle({ attempt, ...end })?.catch((error: unknown) => deps.onError?.(error))
  }
  const lost = () => settle({ outcome: 'UNKNOWN', units: {}, costMicros: neededMicros })

  async function ask(): Promise<T> {
    try {
      return await deps.breaker.guard(entry, call.ask)
    } catch (thrown) {
      const error = asProviderError(thrown)
      if (error.outcome === 'unknown' && !error.isFree) await lost()
      else {
        const outcome = error.outcome === 'unknown' ? 'FAILED' : 'REJECTED'
        await settle({ outcome, units: {}, costMicros: 0 })
      }
      throw error
    }
  }

  try {
    // Entered after the wait: a waiting call must not be the trial of a model that was down.
    deps.breaker.assertUp(entry)
    const { wait } = call
    const opened = deps.ledger.open(
      { attempt, createdAtMs, ...recordOf({ ...call, entry }), reservedMicros: neededMicros ?? 0 },
      { spender: principal, neededMicros, wait },
    )
    if (opened) await opened
    wait?.over()
    const answer = await ask()
    return {
      ...{ id: attempt, answer, lost },
      async succeeded(used) {
        const { units, isClamped } = used
          ? clamp(used, most)
          : { units: expected, isClamped: false }
        const costMicros = used ? priceOf(pricing, units) : null
        const remark = isClamped ? 'CLAMPED' : undefined
        await settle({ outcome: 'SUCCEEDED', units, costMicros, remark })
        return { units, costMicros }
      },
    }
  } catch (error) {
    throw error instanceof ProviderError ? toFailure(error) : error
  }
}

/** The same, for an answer that comes whole. */
export async function makePaidCall<T>(
  deps: PaidCallDeps,
  call: PaidCall<T> & { usedBy(answer: T): PricedUnits | null },
): Promise<Paid & { id: string; answer: T }> {
  const { id, answer, succeeded } = await openPaidCall(deps, call)
  return { id, answer, ...(await succeeded(call.usedBy(answer))) }
}

const recordOf = ({ operation, principal, entry: { provider, model } }: PaidCall<unknown>) => ({
  accountId: principal.accountId,
  keyId: principal.keyId,
  tag: principal.tag,
  taskId: null,
  runId: null,
  nodeId: null,
  operation,
  provider,
  model: model.id,
  unitPrice: model.pricing && JSON.stringify(model.pricing),
})

/** Usage that a provider reports beyond the bounds of the call is not believed. */
function clamp(used: PricedUnits, most: PricedUnits) {
  const names = Object.keys(used) as (keyof PricedUnits)[]
  const entries = names.map((name) => {
    const count = Math.max(used[name] ?? 0, 0)
    return [name, Math.min(count, most[name] ?? count)] as const
  })
  const units: PricedUnits = Object.fromEntries(entries)
  return { units, isClamped: entries.some(([name, count]) => count !== used[name]) }
}
