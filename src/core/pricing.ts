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

/** Null as soon as one of the units has no known price. */
export function priceOf(prices: UnitPrices | null, units: PricedUnits): Micros | null {
  if (prices === null) return null
  let micros = 0
  // An amount per million tokens is the same number of millionths per token.
  const parts: [number | undefined, number | undefined][] = [
    [units.inputTokens, prices.inputPerMillionTokens],
    [units.outputTokens, prices.outputPerMillionTokens],
    [units.images, perUnit(prices.perImage)],
    [units.videoSeconds, perUnit(prices.perSecond)],
  ]
  for (const [count, price] of parts) {
    if (!count) continue
    if (price === undefined) return null
    micros += count * price
  }
  return Math.round(micros)
}

const perUnit = (price: number | undefined) => (price === undefined ? undefined : toMicros(price))
