import { type Micros, toMicros } from './money.ts'

/** Prices in major units. A missing price means unknown, never free. */
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

// Callers and providers may report any number of tokens. With this cap, thousands of costs still
// add up to an integer that a JavaScript number holds exactly.
const maxMicros = 1e12

/** Null if any of the units has no known price. At most one million in major units. */
export function priceOf(prices: UnitPrices | null, units: PricedUnits): Micros | null {
  if (prices === null) return null
  // An amount per million tokens is the same number of millionths per token.
  const micros =
    cost(units.inputTokens, prices.inputPerMillionTokens) +
    cost(units.outputTokens, prices.outputPerMillionTokens) +
    cost(units.images, perUnit(prices.perImage)) +
    cost(units.videoSeconds, perUnit(prices.perSecond))
  return Number.isNaN(micros) ? null : Math.min(Math.round(micros), maxMicros)
}

/** NaN where the price is unknown, because NaN makes the whole sum NaN. */
const cost = (count: number | undefined, price: number | undefined): number =>
  count ? count * (price ?? Number.NaN) : 0

const perUnit = (price: number | undefined) => (price === undefined ? undefined : toMicros(price))
