// The cost of one text call before it is made. `high` is what a run with a maxCost reserves for the
// call, or more: a maxCost above the estimate's highCost refuses none of its calls.
import { highestPrice, priceOf, type UnitPrices } from '#core/pricing.ts'
import type { Usage } from '#core/usage.ts'
import type { Spread } from '../node-type.ts'

/** Tokens of one picture given to a model: the least and the most that vendors count for it. */
export const givenTokens: Spread = { low: 50, expected: 1_000, high: 50_000 }

/** What a vendor adds to the words: at least nothing, usually a few for each message. */
const framing = { ofCall: 3, ofMessage: 4, high: 4_000 }

/** A call under a limit that names no maxTokens is sent with this one. */
const cappedOutputTokens = 16_384

export const mostOutputTokens = (maxOutputTokens: number | undefined): number =>
  Math.min(maxOutputTokens ?? cappedOutputTokens, cappedOutputTokens)

/**
 * Our count is that of OpenAI's tokenizer. Other vendors count up to half of it for scripts that
 * theirs know better. At the upper end each byte may be a token, so that no count is too low.
 */
const leastOfCount = { openai: 0.9, other: 0.5 }

/** From this size on vendors cache input by themselves, which makes a repeated call cheaper. */
const cacheableTokens = 512

export function withFraming(
  text: Spread,
  { messages, provider }: { messages: number; provider: string | undefined },
): Spread {
  const least = provider === 'openai' ? leastOfCount.openai : leastOfCount.other
  return {
    low: Math.floor(text.low * least),
    expected: text.expected + framing.ofCall + framing.ofMessage * messages,
    high: text.high + framing.high,
  }
}

export function textCallCost(
  pricing: UnitPrices | null,
  { input, output, hasPictures }: { input: Spread; output: Spread; hasPictures: boolean },
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
  const most = { inputTokens: input.high, outputTokens: output.high }
  const high = highestPrice(pricing, withAllParts(most, { hasPictures }))
  return low === null || expected === null || high === null
    ? null
    : ordered({ low, expected, high })
}

/** Every part that may have a rate of its own, as large as its whole. */
export const withAllParts = (
  { inputTokens, outputTokens }: Usage,
  { hasPictures }: { hasPictures: boolean },
): Usage => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: inputTokens,
  cacheWriteTokens: inputTokens,
  reasoningTokens: outputTokens,
  ...(hasPictures
    ? {
        inputImageTokens: inputTokens,
        cachedImageTokens: inputTokens,
        outputImageTokens: outputTokens,
      }
    : {}),
})

/** Prices of an operator may be lower for more; the order of a spread holds even then. */
export const ordered = ({ low, expected, high }: Spread): Spread => ({
  low: Math.min(low, expected),
  expected,
  high: Math.max(high, expected),
})
