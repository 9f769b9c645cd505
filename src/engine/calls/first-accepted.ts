// Offers a text call to one model after the other, until one accepts it:
//
//   firstAccepted: for each model ── intent stored ── provider asked, once
//                    ↑                                  │
//                    └── REJECTED: surely not accepted ─┤
//                        UNKNOWN: may be billed, thrown ┤
//                                                       └── accepted ── settleAnswer | giveUp
//
// Never repeats a call that may have been billed, unless a route says that it may pay twice. Then no
// model is asked again: only those that were not asked yet are (paid-before.ts).
import type { CatalogueEntry } from '#core/catalogue.ts'
import { defaultMoves, type RouteAttempt } from '#core/route.ts'
import { ProviderError } from '#providers/provider.ts'
import { mayMove, moveReasonOf } from './move-rule.ts'
import type { Attempt } from './new-attempt.ts'
import { failedAfterPaying } from './paid-before.ts'
import { withAttempts } from './provider-failure.ts'
import { conversationOf, inOrder } from './route-order.ts'
import { isUnpriced } from './spend-limit.ts'
import { type Asking, accepted, type TextCallDeps, type TextOrder } from './text-attempt.ts'
import { dearestOf } from './text-models.ts'

/** A model that has accepted, and whom the call was offered to, if there was a choice. */
export type AcceptedCall<T> = {
  attempt: Attempt
  answer: T
  attempts?: readonly RouteAttempt[] | undefined
  /** Candidates that were not asked. */
  rest?: readonly CatalogueEntry[]
}

/** Most models have no fallback, and then there is nothing to catch. */
export function firstAccepted<T>(
  deps: TextCallDeps,
  order: TextOrder,
  asking: Asking<T>,
): Promise<AcceptedCall<T>> {
  const [only, other] = order.entries
  if (only && !other && !order.before) {
    const asked = accepted(deps, order, only, asking)
    return order.route ? naming(asked, only) : asked
  }
  return order.route ? firstOfRoute(deps, order, asking) : firstOf(deps, order, asking)
}

/** A route with one candidate has nothing to choose, but says whom it asked. */
const naming = <T>(
  asked: ReturnType<typeof accepted<T>>,
  { model: { id: model } }: CatalogueEntry,
): Promise<AcceptedCall<T>> =>
  asked.then(
    (made) => ({ attempts: [{ model, outcome: 'answered' }], ...made }),
    (error) => {
      throw withAttempts(error, failedAt(model, error))
    },
  )

/** One for each key, if the provider has several. */
const failedAt = (model: string, error: unknown): readonly RouteAttempt[] =>
  (error instanceof ProviderError && error.attempts) || [
    { model, outcome: moveReasonOf(error) ?? 'failed' },
  ]

const madeBy = (
  model: string,
  { attempts }: { attempts?: readonly RouteAttempt[] },
): readonly RouteAttempt[] => attempts ?? [{ model, outcome: 'answered' }]

/** The next model is tried only if the previous one certainly did not accept. */
async function firstOf<T>(
  deps: TextCallDeps,
  order: TextOrder,
  asking: Asking<T>,
): Promise<AcceptedCall<T>> {
  const attempts: RouteAttempt[] = []
  let refused: unknown
  for (const entry of order.entries) {
    const model = entry.model.id
    try {
      const isNotLast = entry !== order.entries.at(-1)
      const made = await accepted(deps, { ...order, isNotLast }, entry, asking)
      return { ...made, attempts: namingKeys([...attempts, ...madeBy(model, made)]) }
    } catch (error) {
      // A fallback without a price is passed over; a model that was asked for is refused by name.
      if (refused && isUnpriced(error)) continue
      attempts.push(...failedAt(model, error))
      refused = withAttempts(error, namingKeys(attempts) ?? [])
      if (!mayMove(error, undefined, 'text')) break
    }
  }
  throw refused
}

/** Fallbacks are the operator's choice, and the answer names who answered; several keys are told. */
const namingKeys = (attempts: readonly RouteAttempt[]) =>
  attempts.some(({ deployment }) => deployment !== undefined) ? attempts : undefined

/** The candidates of a route: each has its own time, and the call says whom it asked. */
async function firstOfRoute<T>(
  deps: TextCallDeps,
  order: TextOrder,
  asking: Asking<T>,
): Promise<AcceptedCall<T>> {
  const { route, call, messages, before = [] } = order
  const conversation = conversationOf(call)
  const memory = deps.routeMemory
  const sorted = route ? inOrder(order.entries, route, { memory, conversation }) : order.entries
  const needed = dearestOf(sorted, call, messages)
  const moves = (route?.on ?? defaultMoves).includes('rate_limit')
  const attempts = [...before]
  let isPaid = before.length > 0
  let refused: unknown
  for (const [index, entry] of sorted.entries()) {
    const model = entry.model.id
    const isLast = index === sorted.length - 1
    const limitMs = isLast ? 0 : (route?.attemptTimeoutSeconds ?? 0) * 1000
    const terms = { leastMicros: needed, limitMs, isNotLast: moves && !isLast, isPaid }
    const startedMs = deps.clock.monotonicMs()
    if (isPaid) await order.payAgain?.()
    try {
      const made = await accepted(deps, { ...order, ...terms }, entry, asking)
      attempts.push(...madeBy(model, made))
      memory.accepted(conversation, model, deps.clock.monotonicMs() - startedMs)
      return { ...made, attempts, rest: sorted.slice(index + 1) }
    } catch (error) {
      // Under a limit a candidate without a price is left out.
      const isLeftOut = isUnpriced(error)
      if (!isLeftOut) attempts.push(...failedAt(model, error))
      const all = { attempts: [...attempts], isOfRun: call.origin !== undefined }
      const said = isPaid ? failedAfterPaying(error, all) : error
      refused = isLeftOut ? (refused ?? said) : said
      if (!isLeftOut && !mayMove(error, route, 'text')) break
      isPaid ||= error instanceof ProviderError && error.outcome === 'unknown'
    }
  }
  throw withAttempts(refused, attempts)
}
