// The cost of one text call before it is made. `high` is what a run with a maxCost reserves for the
// call, or more: a maxCost above the estimate's highCost refuses none of its calls.
import { mostFramingTokens, tokensPerPicture, withMostParts } from '#core/call-tokens.ts'
import { highestPrice, priceOf, type UnitPrices } from '#core/pricing.ts'
import type { Candidate, ModelFacts } from './models.ts'
import type { Spread } from './node-type.ts'

/** Tokens of one picture given to a model: the least and the most that vendors count for it. */
export const givenTokens: Spread = { low: 50, expected: 1_000, high: tokensPerPicture.given }

/** What a vendor usually adds to the words: at least nothing. */
const framing = { ofCall: 3, ofMessage: 4 }

/**
 * Our count is that of OpenAI's tokenizer. Other vendors count up to half of it for scripts that
 * theirs know better. At the upper end each byte may be a token, so that no count is too low.
 */
const leastOfCount = { openai: 0.9, other: 0.5 }

/** From this size on vendors cache input by themselves, which makes a repeated call cheaper. */
const cacheableTokens = 512

/** `most`: what a vendor adds at the most. */
export function withFraming(
  text: Spread,
  { messages, provider, most }: { messages: number; provider: string | undefined; most: number },
): Spread {
  const least = provider === 'openai' ? leastOfCount.openai : leastOfCount.other
  return {
    low: Math.floor(text.low * least),
    expected: text.expected + framing.ofCall + framing.ofMessage * messages,
    high: text.high + most,
  }
}

/** The only message beside the system prompt is the prompt, as in the call of a run. */
export const mostFramingOf = (responseFormat: 'text' | 'json' | undefined): number =>
  mostFramingTokens({ messages: 1, hasFunctions: false, isJson: responseFormat === 'json' })

export type CallTokens = { input: Spread; output: Spread; hasPictures: boolean }

export function textCallCost(
  pricing: UnitPrices | null,
  { input, output, hasPictures }: CallTokens,
): Spread | null {
  const low = priceOf(pricing, {
    inputTokens: input.low,
    outputTokens: output.low,
    ...(input.low >= cacheableTokens ? { cachedInputTokens: input.low } : {}),
  })
  const expected = priceOf(pricing, {
    inputTokens: input.expected,
    outputTokens: output.expected,
  })
  const high = mostOfCall(pricing, { input, output, hasPictures })
  return low === null || expected === null || high === null
    ? null
    : ordered({ low, expected, high })
}

const mostOfCall = (
  pricing: UnitPrices | null,
  { input, output, hasPictures }: CallTokens,
): number | null =>
  highestPrice(
    pricing,
    withMostParts({ inputTokens: input.high, outputTokens: output.high }, { hasPictures }),
  )

/**
 * The cost with a model, in whose place its fallbacks may answer; or over a route, with any of its
 * candidates. Those without a price are left out: the cheapest may answer, and the dearest.
 */
export function costOver(
  facts: ModelFacts | undefined,
  costWith: (model: Candidate | undefined) => Spread | null,
): Spread | null {
  const { candidates, fallbacks = [] } = facts ?? {}
  const costs = (candidates ?? [facts, ...fallbacks]).map(costWith)
  // A model that was asked for is refused under a limit, whatever its fallbacks cost.
  if (!candidates && costs[0] === null) return null
  const [likeliest, ...others] = costs.filter((cost) => cost !== null)
  if (!likeliest) return null
  return others.reduce(
    (all, { low, high }) => ({
      ...{ low: Math.min(all.low, low), expected: all.expected, high: Math.max(all.high, high) },
    }),
    likeliest,
  )
}

/** Undefined if only one model can answer. */
export function whoAnswers({ id, candidates, fallbacks = [] }: ModelFacts): string | undefined {
  const names = (models: readonly Candidate[]) => models.map((one) => one.id).join(', ')
  if (candidates)
    return `"${id}" may be answered by ${names(candidates)}: the cost is that of the first, within those of all that have a price.`
  if (fallbacks.length === 0) return undefined
  return `If "${id}" is down, ${names(fallbacks)} may answer: the cost is that of "${id}", within those of all that have a price.`
}

/** Prices of an operator may be lower for more; the order of a spread holds even then. */
export const ordered = ({ low, expected, high }: Spread): Spread => ({
  low: Math.min(low, expected),
  expected,
  high: Math.max(high, expected),
})
