// One attempt to have a provider answer a text call, from the stored intent to the settled cost.
// Whole and streamed answers go through here, so that both are recorded and pay alike. Never leaves
// an attempt unsettled.

import type { Catalogue, CatalogueEntry } from '#core/catalogue.ts'
import type { TimedClock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { TextCall } from '#core/generation.ts'
import { priceOf } from '#core/pricing.ts'
import type { RouteAttempt } from '#core/route.ts'
import type { CallFacts } from '#core/settled-call.ts'
import type { Usage } from '#core/usage.ts'
import type { CallOptions, Message, Provider, TextRequest } from '#providers/provider.ts'
import { type AttemptEnd, endAfter, free, notMade } from './attempt-end.ts'
import type { AttemptLedger } from './attempt-ledger.ts'
import { countUsage } from './call-bounds.ts'
import type { ChatPictureDeps } from './chat-pictures.ts'
import type { BreakerCall, CircuitBreaker, Served } from './circuit-breaker.ts'
import { firstOfKeys, providerOf } from './deployments.ts'
import type { LaneGate, Waiting } from './lane-gate.ts'
import { moveReasonOf } from './move-rule.ts'
import { type Attempt, newAttempt, outputOf } from './new-attempt.ts'
import { open } from './open-attempt.ts'
import { asProviderError, withAttempts } from './provider-failure.ts'
import type { OpenedKey } from './provider-keys.ts'
import { afterWaiting, openFromLane } from './room-in-lane.ts'
import { conversationOf, type RouteMemory } from './route-order.ts'
import { type Candidates, priceText } from './text-models.ts'
import { charactersPerToken, requestOf } from './text-request.ts'
import {
  type CallTimes,
  type StartWait,
  type TimeLimit,
  type TimeLimits,
  withinTime,
} from './time-limit.ts'
import { withdraw } from './withdraw-attempt.ts'

/** What making text calls needs from the rest of the server. */
export type TextCallDeps = ChatPictureDeps &
  CallTimes & {
    catalogue: Catalogue
    providers: ReadonlyMap<string, Provider>
    ledger: Pick<AttemptLedger, 'open' | 'settle'>
    breaker: CircuitBreaker
    gate: LaneGate
    routeMemory: RouteMemory
    clock: TimedClock
    onError?(error: unknown): void
  }

/** A call that is offered to one model after the other. */
export type TextOrder = Pick<Candidates, 'route' | 'tries'> &
  Waiting & {
    call: TextCall
    /** The model asked for, then its fallbacks; or the candidates of a route. */
    entries: readonly CatalogueEntry[]
    messages: Message[]
    signal: TimeLimit
    limits: TimeLimits
    /** The account's key, if the call names one; all entries then belong to its provider. */
    key?: OpenedKey | undefined
    /** Present under a spend limit. */
    wait?: StartWait | undefined
    /** The attempts of this call at models that are not asked again, because the last was paid. */
    before?: readonly RouteAttempt[]
    payAgain?: (() => Promise<void>) | undefined
  }

/** The method to call, undefined if the provider has none. Resolves once the call is accepted. */
export type Asking<T> = (
  provider: Provider,
) => ((request: TextRequest, options: CallOptions) => Promise<T>) | undefined

/** What a call over a route asks of each attempt. */
type RouteTerms = {
  /** Reserved for every candidate alike: the dearest may answer. */
  leastMicros?: number | null
  /** How long the candidate has to accept; 0 if only the time of the call counts. */
  limitMs?: number
}

/** `attempts`: with which keys, if the provider has several. */
type Accepted<T> = Promise<{ attempt: Attempt; answer: T; attempts?: readonly RouteAttempt[] }>

export function accepted<T>(
  deps: TextCallDeps,
  order: TextOrder & RouteTerms,
  entry: CatalogueEntry,
  asking: Asking<T>,
): Accepted<T> {
  const provider = order.key?.provider ?? deps.providers.get(entry.provider)
  const deployments = provider?.deployments
  if (!deployments) return attempted(deps, order, entry, provider, asking)
  const conversation = conversationOf(order.call)
  const keys = { entry, deployments, conversation, medium: 'text' } as const
  const { tries = { count: 0 } } = order
  const attempts: RouteAttempt[] = []
  const asked = (deployment: string | undefined, outcome: RouteAttempt['outcome']) =>
    attempts.push({ model: entry.model.id, outcome, deployment })
  return firstOfKeys(deps, keys, async (at, { hasOther }) => {
    const terms = { ...order, tries, ...(hasOther ? { isNotLast: true } : {}) }
    try {
      const made = await attempted(deps, terms, at, providerOf(deps.providers, at), asking)
      asked(at.deployment, 'answered')
      return { ...made, attempts }
    } catch (error) {
      asked(at.deployment, moveReasonOf(error) ?? 'failed')
      throw error
    }
  }).catch((error) => {
    throw withAttempts(error, attempts)
  })
}

async function attempted<T>(
  deps: TextCallDeps,
  order: TextOrder & RouteTerms,
  entry: CatalogueEntry,
  provider: Provider | undefined,
  asking: Asking<T>,
): Accepted<T> {
  const { call, messages, signal, key, wait, leastMicros = null, limitMs = 0 } = order
  const ask = provider && asking(provider)
  if (!ask) throw new Failure('MODEL_KIND_MISMATCH')
  const attempt = newAttempt(deps.clock, call, { messages, entry, leastMicros })
  const learnt = provider.learnt?.(entry.providerModel)
  const served = key || learnt ? { ...entry, credentialId: key?.credential.id, learnt } : entry
  const startedMs = wait ? deps.clock.monotonicMs() : 0
  const entering = enterLane(deps, served, order, attempt)
  if (entering) await entering
  let entered: BreakerCall | undefined
  try {
    entered = wait
      ? await openAndEnter(deps, served, { ...order, attempt, wait, startedMs })
      : deps.breaker.enter(served)
    const opened = wait ? undefined : open(deps.ledger, order, attempt)
    if (opened) await opened
    if (call.origin?.ending.aborted) await withdraw(deps.ledger, call.origin, attempt.id)
    const { maxTokens } = attempt.bounds
    const request = requestOf(call, { model: entry.providerModel, messages, maxTokens })
    try {
      const answer = await withinTime(deps.clock, { signal, limitMs }, (stop) =>
        ask(request, { signal: stop }),
      )
      entered.succeeded()
      return { attempt, answer }
    } catch (thrown) {
      const error = asProviderError(thrown)
      await settle(deps, attempt, endAfter(error, attempt.neededMicros))
      throw error
    }
  } catch (error) {
    entered?.failed(error)
    attempt.pass?.left(0)
    // A full flex tier says nothing about the other calls with this key.
    const waitingSinceMs = call.tier ? undefined : deps.gate.repeatsSince(served, order, error)
    if (waitingSinceMs === undefined) throw error
    return attempted(deps, { ...order, waitingSinceMs }, entry, provider, asking)
  }
}

function enterLane(
  deps: TextCallDeps,
  served: Served & CatalogueEntry,
  order: TextOrder,
  attempt: Attempt,
) {
  const entering = deps.gate.enter(served, order, attempt.inputTokens + outputOf(order.call))
  return (
    entering &&
    afterWaiting(order, entering).then((pass) => {
      attempt.pass = pass
    })
  )
}

/**
 * The wait may be long, so the call enters the breaker only after it: as the trial of a model that
 * was down, it would keep everybody else from that model meanwhile.
 */
async function openAndEnter(
  deps: TextCallDeps,
  served: Served & CatalogueEntry,
  {
    attempt,
    wait,
    startedMs,
    ...order
  }: TextOrder & { attempt: Attempt; wait: StartWait; startedMs: number },
): Promise<BreakerCall> {
  deps.breaker.assertUp(served)
  const admitted = order.waiting?.began({ kind: 'BUDGET', model: attempt.entry.model.id })
  const isOutside = await openFromLane(attempt.pass, (noRoomYet) =>
    open(deps.ledger, order, attempt, { ...wait, noRoomYet })?.finally(admitted),
  )
  try {
    const { waitingSinceMs = startedMs } = order
    const again = { ...order, waitingSinceMs, sinceMs: attempt.createdAtMs }
    if (isOutside) await enterLane(deps, served, again, attempt)
    wait.over()
    return deps.breaker.enter(served)
  } catch (error) {
    await settle(deps, attempt, notMade)
    throw error
  }
}

/**
 * An unavailable store must not change the answer to a call that was made: the ledger keeps its
 * outcome and stores it later.
 */
function settle(
  { ledger, onError }: TextCallDeps,
  { id: attempt, isOfRun }: Attempt,
  end: AttemptEnd,
) {
  const { outcome, units, costMicros, remark, finish, answeredBy } = end
  return ledger
    .settle({ attempt, isOfRun, outcome, units, costMicros, remark, finish, answeredBy })
    ?.catch((error: unknown) => onError?.(error))
}

/** What has arrived of an answer. */
export type Seen = {
  characters: number
  bytes: number
  usage: Usage | null
  /** It contains text or a tool call. */
  hasContent: boolean
}

const estimated = ({ inputTokens }: Attempt, { characters }: Seen): Usage => ({
  inputTokens,
  outputTokens: Math.ceil(characters / charactersPerToken),
})

type Settling = {
  seen: Seen
  outcome: 'SUCCEEDED' | 'FAILED'
  /** The vendor bills this tier instead of the one that the attempt was stored with. */
  tier?: 'flex' | undefined
} & CallFacts

/**
 * If the provider reports no usage, the tokens are our estimate, and the cost is unknown; under a
 * limit it is the most.
 * `settled` is undefined if there is nothing to wait for. If it rejects, the answer stays the same.
 */
export function settleAnswer(
  deps: TextCallDeps,
  attempt: Attempt,
  { seen, outcome, finish, answeredBy, tier }: Settling,
): { usage: Usage; costMicros: number | null; settled: Promise<void> | undefined } {
  const counted =
    seen.usage &&
    countUsage(attempt.bounds, seen.usage, { answerBytes: seen.bytes, model: attempt.entry.model })
  const usage = counted?.usage ?? estimated(attempt, seen)
  const { model, flexPricing } = attempt.entry
  const other = tier ? flexPricing : undefined
  const known = counted && priceOf(other ?? model.pricing, counted.usage)
  const costMicros = known ?? attempt.uncountedMicros
  attempt.pass?.left(usage.inputTokens + usage.outputTokens)
  const unitPrice = other && priceText(other)
  const via = tier && JSON.stringify({ ...attempt.via, tier })
  const said = { outcome, finish, answeredBy, unitPrice, via, remark: counted?.remark }
  const end = { ...said, attempt: attempt.id, isOfRun: attempt.isOfRun, units: usage, costMicros }
  return { usage, costMicros, settled: deps.ledger.settle(end) }
}

/**
 * The call was accepted and may be billed. When the reader leaves, the provider stops, so what
 * arrived is counted; if the stream broke, nobody knows how far the provider went.
 */
export async function giveUp(
  deps: TextCallDeps,
  attempt: Attempt,
  { seen, how }: { seen: Seen; how: 'left' | 'broken' | 'failed' },
): Promise<void> {
  attempt.pass?.left(null)
  const isFree = how === 'failed' && seen.characters === 0 && !seen.usage
  if (isFree) return void (await settle(deps, attempt, free))
  const guess = estimated(attempt, seen)
  const counted =
    seen.usage &&
    countUsage(attempt.bounds, seen.usage, { answerBytes: seen.bytes, model: attempt.entry.model })
  const known = counted?.usage ?? guess
  const units = { ...known, outputTokens: Math.max(known.outputTokens, guess.outputTokens) }
  const arrived = priceOf(attempt.entry.model.pricing, units)
  const { neededMicros } = attempt
  const costMicros =
    how === 'left' || arrived === null || neededMicros === null
      ? arrived
      : Math.max(arrived, neededMicros)
  await settle(deps, attempt, { outcome: 'UNKNOWN', units, costMicros, remark: counted?.remark })
}
