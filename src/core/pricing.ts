import { type Micros, toMicros } from './money.ts'

/** In major units; a missing price is unknown, never 0. */
export type UnitPrices = {
  inputPerMillionTokens?: number
  outputPerMillionTokens?: number
  perImage?: number
  perSecond?: number
}

export type PricedUnits = {
  inputTokens?: number
  outputTokens?: number
  images?: number
  videoSeconds?: number
}

// Callers and providers may name any number of tokens; thousands of these add up to whole numbers.
const mostMicros = 1e12

/** Null as soon as one of the units has no known price. Never more than a million. */
export function priceOf(prices: UnitPrices | null, units: PricedUnits): Micros | null {
  if (prices === null) return null
  // An amount per million tokens is the same number of millionths per token.
  const micros =
    cost(units.inputTokens, prices.inputPerMillionTokens) +
    cost(units.outputTokens, prices.outputPerMillionTokens) +
    cost(units.images, perUnit(prices.perImage)) +
    cost(units.videoSeconds, perUnit(prices.perSecond))
  return Number.isNaN(micros) ? null : Math.min(Math.round(micros), mostMicros)
}

/** NaN where the price is not known: it carries over into any sum. */
const cost = (count: number | undefined, price: number | undefined): number =>
  count ? count * (price ?? Number.NaN) : 0

const perUnit = (price: number | undefined) => (price === undefined ? undefined : toMicros(price))
