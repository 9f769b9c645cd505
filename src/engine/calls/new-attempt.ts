import type { CatalogueEntry, Pricing } from '#core/catalogue.ts'
import type { Clock } from '#core/clock.ts'
import type { TextCall } from '#core/generation.ts'
import { uuidV7 } from '#core/ids.ts'
import { highestPrice, priceOf } from '#core/pricing.ts'
import type { Via } from '#core/route.ts'
import type { Message } from '#providers/provider.ts'
import { boundsOf, type CallBounds } from './call-bounds.ts'
import type { LanePass } from './lane-entry.ts'
import { hasSpendLimit, unpricedModel } from './spend-limit.ts'
import { inputTokensOf } from './text-request.ts'

export type Attempt = {
  id: string
  createdAtMs: number
  isOfRun: boolean
  entry: CatalogueEntry
  bounds: CallBounds
  /** Our estimate, for providers that report no usage. */
  inputTokens: number
  /** The most it can cost; null if the price is not known. */
  neededMicros: number | null
  /** Ends with the attempt, if its provider key has limits. */
  pass?: LanePass | undefined
  /** The amount reserved for it: more than it can cost, if a dearer model may answer in its place. */
  reservedMicros: number | null
  /**
   * What it costs if its provider reports no usage: under a limit the most, because calls that
   * count nothing would pass any limit; otherwise nobody knows.
   */
  uncountedMicros: number | null
  /** As it was stored. */
  via?: Via | undefined
}

const expectedOutputTokens = 1024

export const outputOf = ({ maxTokens }: TextCall): number => maxTokens ?? expectedOutputTokens

export function newAttempt(
  clock: Clock,
  call: TextCall,
  {
    messages,
    entry,
    leastMicros,
  }: { messages: Message[]; entry: CatalogueEntry; leastMicros: number | null },
): Attempt {
  const createdAtMs = clock.nowMs()
  const isLimited = call.isCostLimited === true || hasSpendLimit(call.principal)
  const bounds = boundsOf(call, messages, { model: entry.model, isLimited })
  const inputTokens = inputTokensOf(call, messages)
  // Without a limit: what counts as spent if the outcome is never known.
  const expected = { inputTokens, outputTokens: outputOf(call) }
  const { pricing } = entry.model
  const neededMicros = isLimited ? highestPrice(pricing, bounds.most) : priceOf(pricing, expected)
  if (isLimited && neededMicros === null) throw unpricedModel(entry.model.id)
  const isDearer = isLimited && leastMicros !== null && leastMicros > (neededMicros ?? 0)
  const reservedMicros = isDearer ? leastMicros : neededMicros
  const isOfRun = call.origin !== undefined
  const id = uuidV7(createdAtMs)
  const uncountedMicros = isLimited ? neededMicros : null
  const money = { neededMicros, reservedMicros, uncountedMicros }
  return { id, createdAtMs, isOfRun, entry, bounds, inputTokens, ...money }
}

/** What a call needs at other prices of its model. */
export const neededAt = (
  pricing: Pricing | null,
  call: TextCall,
  { bounds, inputTokens, uncountedMicros }: Attempt,
): number | null =>
  uncountedMicros === null
    ? priceOf(pricing, { inputTokens, outputTokens: outputOf(call) })
    : highestPrice(pricing, bounds.most)
