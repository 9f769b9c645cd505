// One paid call to one model, whose answer is not judged. It is recorded, made once and settled.
// Unlike a chat it never falls back to another model, because the caller depends on the one it
// named; but another key of the same provider may make it.

import { type CatalogueEntry, withStandIn } from '#core/catalogue.ts'
import type { Spender } from '#core/generation.ts'
import { uuidV7 } from '#core/ids.ts'
import { type PricedUnits, priceOf } from '#core/pricing.ts'
import { ProviderError } from '#providers/provider.ts'
import type { Attempt } from '#store/engine-store.ts'
import { endAfter, notMade } from './attempt-end.ts'
import { firstOfKeys } from './deployments.ts'
import type { LanePass } from './lane-entry.ts'
import { asProviderError, toFailure } from './provider-failure.ts'
import { openFromLane } from './room-in-lane.ts'
import { hasSpendLimit, unpricedModel } from './spend-limit.ts'
import type { TextCallDeps } from './text-attempt.ts'
import type { StartWait } from './time-limit.ts'

export type PaidCallDeps = Pick<
  TextCallDeps,
  'providers' | 'ledger' | 'breaker' | 'gate' | 'clock' | 'onError'
>

export type PaidCall<T> = {
  operation: Attempt['operation']
  principal: Spender
  entry: CatalogueEntry
  /** The most it can use. Under a spend limit, its price is reserved. */
  most: PricedUnits
  /** Where a provider may report more than `most`, what is believed: some servers add context. */
  believed?: PricedUnits
  /** What it will probably use. Counts as spent if its outcome is never known. */
  expected: PricedUnits
  /** It may have to wait for its provider, and for room under a spend limit. */
  wait: StartWait
  /** Resolves once the provider has accepted. `at`: the entry, with the key that was chosen. */
  ask(at: CatalogueEntry): Promise<T>
}

export type Paid = { units: PricedUnits; costMicros: number | null }

/** A call that a provider has accepted. Whoever opened it settles it, once, in one of two ways. */
export type AcceptedCall<T> = {
  id: string
  answer: T
  /** With the key that was used. */
  entry: CatalogueEntry
  /** `used`: as counted by the provider; null if it reports none: under a limit, the most counts. */
  succeeded(used: PricedUnits | null): Promise<Paid>
  /** The answer broke off or the caller left: the call may be billed in full. */
  lost(): Promise<void>
}

export const openPaidCall = <T>(deps: PaidCallDeps, call: PaidCall<T>): Promise<AcceptedCall<T>> =>
  openWithKey(deps, { ...call, entry: withStandIn(call.entry, call.principal.standIns) }).catch(
    (error: unknown) => {
      throw error instanceof ProviderError ? toFailure(error) : error
    },
  )

async function openWithKey<T>(deps: PaidCallDeps, call: PaidCall<T>): Promise<AcceptedCall<T>> {
  const { entry } = call
  const deployments = deps.providers.get(entry.provider)?.deployments
  if (!deployments) return openInLane(deps, call)
  const keys = { entry, deployments, medium: 'text' } as const
  return firstOfKeys(deps, keys, (at, { hasOther: isNotLast }) =>
    openInLane(deps, { ...call, entry: at }, { isNotLast }),
  )
}

/** Within the limits of the provider key; after a 429 once more. */
async function openInLane<T>(
  deps: PaidCallDeps,
  call: PaidCall<T>,
  terms: { isNotLast?: boolean; waitingSinceMs?: number } = {},
): Promise<AcceptedCall<T>> {
  const { gate, clock } = deps
  const waiting = { call, signal: call.wait.until, ...terms }
  const sinceMs = clock.nowMs()
  const { waitingSinceMs = clock.monotonicMs() } = terms
  const enter = (more: object) =>
    gate.enter(call.entry, { ...waiting, ...more }, tokensIn(call.expected))
  const lane: Lane = { pass: await enter({}), enterAgain: () => enter({ sinceMs, waitingSinceMs }) }
  try {
    return await openOnce(deps, call, lane)
  } catch (error) {
    lane.pass?.left(0)
    const sinceMs = gate.repeatsSince(call.entry, waiting, error)
    if (sinceMs === undefined) throw error
    return openInLane(deps, call, { ...terms, waitingSinceMs: sinceMs })
  }
}

type Lane = {
  pass: LanePass | undefined
  enterAgain(): Promise<LanePass | undefined> | undefined
}

const tokensIn = ({ inputTokens = 0, outputTokens = 0 }: PricedUnits): number =>
  inputTokens + outputTokens

async function openOnce<T>(
  deps: PaidCallDeps,
  call: PaidCall<T>,
  lane: Lane,
): Promise<AcceptedCall<T>> {
  const { principal, entry, most, believed, expected, wait } = call
  const { pricing } = entry.model
  const createdAtMs = deps.clock.nowMs()
  const attempt = uuidV7(createdAtMs)
  const isLimited = hasSpendLimit(principal)
  const neededMicros = priceOf(pricing, isLimited ? most : expected)
  if (isLimited && neededMicros === null) throw unpricedModel(entry.model.id)
  const settle = async (end: Omit<Parameters<typeof deps.ledger.settle>[0], 'attempt'>) => {
    await deps.ledger.settle({ attempt, ...end })?.catch((error: unknown) => deps.onError?.(error))
  }
  const lost = () => {
    lane.pass?.left(null)
    return settle({ outcome: 'UNKNOWN', units: {}, costMicros: neededMicros })
  }
  // Entered after the wait: a waiting call must not be the trial of a model that was down.
  deps.breaker.assertUp(entry)
  const record = { attempt, createdAtMs, ...recordOf(call), reservedMicros: neededMicros ?? 0 }
  const isOutside = await openFromLane(lane.pass, (noRoomYet) => {
    const { until, isOfRun } = wait
    const room = { until, isOfRun, noRoomYet }
    return deps.ledger.open(record, { spender: principal, neededMicros, wait: room })
  })
  try {
    if (isOutside) lane.pass = await lane.enterAgain()
  } catch (error) {
    await settle(notMade)
    throw error
  }
  wait.over()
  try {
    const answer = await deps.breaker.guard(entry, () => call.ask(entry))
    return {
      ...{ id: attempt, entry, answer, lost },
      async succeeded(used) {
        const { units, isClamped } = used
          ? clamp(used, { ...most, ...believed })
          : { units: expected, isClamped: false }
        lane.pass?.left(tokensIn(units))
        const uncounted = isLimited ? neededMicros : null
        const costMicros = (used && priceOf(pricing, units)) ?? uncounted
        const remark = isClamped ? 'CLAMPED' : undefined
        await settle({ outcome: 'SUCCEEDED', units, costMicros, remark })
        return { units, costMicros }
      },
    }
  } catch (thrown) {
    const error = asProviderError(thrown)
    if (error.outcome === 'unknown' && !error.isFree) lane.pass?.left(null)
    await settle(endAfter(error, neededMicros))
    throw error
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

const recordOf = ({ operation, principal, entry }: PaidCall<unknown>) => ({
  accountId: principal.accountId,
  keyId: principal.keyId,
  tag: principal.tag,
  taskId: null,
  runId: null,
  nodeId: null,
  operation,
  provider: entry.provider,
  via: entry.deployment === undefined ? undefined : { deployment: entry.deployment },
  model: entry.model.id,
  unitPrice: entry.model.pricing && JSON.stringify(entry.model.pricing),
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
