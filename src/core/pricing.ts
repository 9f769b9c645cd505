// What a call costs. A part of the usage that has its own price is charged at that price; the rest
// of its whole is charged at the price of the whole. The sum is exact and is rounded once per call,
// to the nearest millionth, halves up.
import { type Micros, toMicros } from './money.ts'
import { hasParts, type Usage } from './usage.ts'

/** Per million tokens, in major units. */
export const tokenRates = [
  'inputPerMillionTokens',
  'cachedInputPerMillionTokens',
  'cacheWritePerMillionTokens',
  'cacheWrite1hPerMillionTokens',
  'inputImagePerMillionTokens',
  'inputAudioPerMillionTokens',
  'cachedImagePerMillionTokens',
  'cachedAudioPerMillionTokens',
  'outputPerMillionTokens',
  'reasoningPerMillionTokens',
  'outputImagePerMillionTokens',
  'outputAudioPerMillionTokens',
] as const

export type TokenRates = { [Rate in (typeof tokenRates)[number]]?: number }

/** Rates that replace the others in a call with more input than this. */
export type LongContextRates = TokenRates & { aboveInputTokens: number }

/** Prices in major units. A missing price means unknown, never free. */
export type UnitPrices = TokenRates & {
  /** In ascending order. */
  longContext?: LongContextRates[]
  perImage?: number
  /** Of generated video. */
  perSecond?: number
  /** Of transcribed audio. */
  inputAudioPerHour?: number
  /** Of text that is turned into speech. */
  inputPerMillionCharacters?: number
  /** Of a search on the web that the vendor makes for the model. */
  perSearch?: number
}

/** Prices that an account chose for models whose own price is not known, by model. */
export type StandIns = Readonly<Record<string, UnitPrices>>

/** The names of all prices, for code that copies only those that are set. */
export const priceNames = [
  ...tokenRates,
  'longContext',
  'perImage',
  'perSecond',
  'inputAudioPerHour',
  'inputPerMillionCharacters',
  'perSearch',
] as const satisfies readonly (keyof UnitPrices)[]

export type PricedUnits = Partial<Usage> & {
  images?: number
  videoSeconds?: number
  inputAudioSeconds?: number
  inputCharacters?: number
}

// Callers and providers may report any number of tokens. With this cap, thousands of costs still
// add up to an integer that a JavaScript number holds exactly.
const maxMicros = 1e12

/** Null if any of the units has no known price. At most one million in major units. */
export function priceOf(prices: UnitPrices | null, units: PricedUnits): Micros | null {
  if (prices === null) return null
  const rates = ratesFor(prices, units.inputTokens ?? 0)
  const picos = hasParts(units)
    ? inputCost(rates, units) + outputCost(rates, units)
    : cost(units.inputTokens, perToken(rates.inputPerMillionTokens)) +
      cost(units.outputTokens, perToken(rates.outputPerMillionTokens))
  const micros =
    picos / picosPerMicro +
    cost(units.images, perUnit(prices.perImage)) +
    cost(units.videoSeconds, perUnit(prices.perSecond)) +
    cost(units.inputAudioSeconds, perUnit(prices.inputAudioPerHour)) / secondsPerHour +
    cost(units.inputCharacters, prices.inputPerMillionCharacters) +
    cost(units.searches, perUnit(prices.perSearch))
  return Number.isNaN(micros) ? null : Math.min(Math.round(micros), maxMicros)
}

/**
 * The highest cost of a call that uses at most these tokens, in total and in each part: every
 * token at the highest rate that may apply to it, in the dearest tier the input can reach.
 */
export function highestPrice(prices: UnitPrices | null, most: Usage): Micros | null {
  if (prices === null) return null
  let highest = 0
  for (const above of [0, ...(prices.longContext ?? []).map((tier) => tier.aboveInputTokens + 1)]) {
    if (above > most.inputTokens) continue
    const rates = ratesFor(prices, above)
    const picos =
      cost(most.inputTokens, dearest(rates, most, inputParts)) +
      cost(most.outputTokens, dearest(rates, most, outputParts))
    highest = Math.max(highest, picos)
  }
  const micros = highest / picosPerMicro + cost(most.searches, perUnit(prices.perSearch))
  return Number.isNaN(micros) ? null : Math.min(Math.ceil(micros), maxMicros)
}

function ratesFor(prices: UnitPrices, inputTokens: number): TokenRates {
  const reached = prices.longContext?.findLast((tier) => inputTokens > tier.aboveInputTokens)
  return reached ? { ...prices, ...reached } : prices
}

/** A rate per million tokens is the same number of micros per token; in picos it is an integer. */
const picosPerMicro = 1e6
const perToken = (rate: number | undefined) =>
  rate === undefined ? undefined : Math.round(rate * picosPerMicro)

type Part = readonly [count: number | undefined, rate: number | undefined]

/** The tokens of a part that are charged separately: none if the part has no price of its own. */
const apart = ([count = 0, rate]: Part): number => (rate === undefined ? 0 : count)

function inputCost(rates: TokenRates, used: PricedUnits): number {
  const image: Part = [used.cachedImageTokens, rates.cachedImagePerMillionTokens]
  const audio: Part = [used.cachedAudioTokens, rates.cachedAudioPerMillionTokens]
  const hour: Part = [used.cacheWrite1hTokens, rates.cacheWrite1hPerMillionTokens]
  const { cachedInputTokens = 0, cacheWriteTokens = 0 } = used
  const { inputImageTokens = 0, inputAudioTokens = 0 } = used
  // Cached images count as cached tokens and as image tokens, so they are subtracted from both.
  const cached = cachedInputTokens - apart(image) - apart(audio)
  return charge(used.inputTokens, rates.inputPerMillionTokens, [
    image,
    audio,
    hour,
    [cached, rates.cachedInputPerMillionTokens],
    [cacheWriteTokens - apart(hour), rates.cacheWritePerMillionTokens],
    [inputImageTokens - apart(image), rates.inputImagePerMillionTokens],
    [inputAudioTokens - apart(audio), rates.inputAudioPerMillionTokens],
  ])
}

const outputCost = (rates: TokenRates, used: PricedUnits): number =>
  charge(used.outputTokens, rates.outputPerMillionTokens, [
    [used.reasoningTokens, rates.reasoningPerMillionTokens],
    [used.outputImageTokens, rates.outputImagePerMillionTokens],
    [used.outputAudioTokens, rates.outputAudioPerMillionTokens],
  ])

/** Charges the parts, then the rest. No token is charged twice, even if a provider counts it so. */
function charge(whole = 0, rateOfRest: number | undefined, parts: readonly Part[]): number {
  let rest = whole
  let picos = 0
  for (const [count = 0, rate] of parts) {
    if (rate === undefined || count <= 0) continue
    const charged = Math.min(count, rest)
    rest -= charged
    picos += cost(charged, perToken(rate))
  }
  return picos + cost(rest, perToken(rateOfRest))
}

const inputParts = {
  inputTokens: 'inputPerMillionTokens',
  cachedInputTokens: 'cachedInputPerMillionTokens',
  cacheWriteTokens: 'cacheWritePerMillionTokens',
  cacheWrite1hTokens: 'cacheWrite1hPerMillionTokens',
  inputImageTokens: 'inputImagePerMillionTokens',
  inputAudioTokens: 'inputAudioPerMillionTokens',
} as const
const outputParts = {
  outputTokens: 'outputPerMillionTokens',
  reasoningTokens: 'reasoningPerMillionTokens',
  outputImageTokens: 'outputImagePerMillionTokens',
  outputAudioTokens: 'outputAudioPerMillionTokens',
} as const

/** Undefined if the rate of the whole is unknown. */
function dearest(
  rates: TokenRates,
  most: Usage,
  parts: typeof inputParts | typeof outputParts,
): number | undefined {
  const possible = Object.entries(parts).filter(([part]) => (most[part as keyof Usage] ?? 0) > 0)
  const [whole, ...others] = possible.map(([, rate]) => perToken(rates[rate]))
  return whole === undefined ? undefined : Math.max(whole, ...others.map((rate) => rate ?? 0))
}

/** NaN if the price is unknown, which makes the whole sum NaN. */
const cost = (count: number | undefined, price: number | undefined): number =>
  count ? count * (price ?? Number.NaN) : 0

const secondsPerHour = 3600

const perUnit = (price: number | undefined) => (price === undefined ? undefined : toMicros(price))
