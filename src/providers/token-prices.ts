// Token prices from published price data, a table of almost a megabyte. Returns either all prices
// of exactly this model or none; never those of a related model whose name begins the same way.
import { calcPrice, type MatchLogic, type ModelPrice } from '@pydantic/genai-prices'
import type { PriceSource, Pricing } from '#core/catalogue.ts'
import { currency } from '#core/money.ts'
import type { LongContextRates, TokenRates, UnitPrices } from '#core/pricing.ts'

/** The version in use, and the day it was published. */
export const priceDataSource: PriceSource = {
  source: 'npm:@pydantic/genai-prices@0.1.8',
  date: '2026-09-23',
}

/** The provider's name in the price data, where it differs from ours. */
const priceDataNames: Record<string, string> = { gemini: 'google' }

/** Prices of other units, and how many of them the price data counts. */
const otherRates: Record<string, ['inputAudioPerHour' | 'perSearch', per: number]> = {
  input_audio_hours: ['inputAudioPerHour', 1],
  web_searches_kcount: ['perSearch', 1000],
}

const rateNames: Record<string, keyof TokenRates> = {
  input_mtok: 'inputPerMillionTokens',
  cache_read_mtok: 'cachedInputPerMillionTokens',
  cache_write_mtok: 'cacheWritePerMillionTokens',
  cache_write_1h_mtok: 'cacheWrite1hPerMillionTokens',
  input_image_mtok: 'inputImagePerMillionTokens',
  input_audio_mtok: 'inputAudioPerMillionTokens',
  cache_image_read_mtok: 'cachedImagePerMillionTokens',
  cache_audio_read_mtok: 'cachedAudioPerMillionTokens',
  output_mtok: 'outputPerMillionTokens',
  output_reasoning_mtok: 'reasoningPerMillionTokens',
  output_image_mtok: 'outputImagePerMillionTokens',
  output_audio_mtok: 'outputAudioPerMillionTokens',
}

/**
 * Prices of things that our calls never use: searches in files and posts, video in or out. Hours of audio are listed twice, as a total and as input; we use the latter.
 */
const unused =
  /^(?:storage_searches|social_searches|input_video|output_video|cache_video|audio_hours)/

/** Needs the time because some prices start on a certain day or apply only at certain hours. */
export function tokenPrices(
  provider: string,
  providerModel: string,
  nowMs: number,
): Pricing | null {
  const providerId = priceDataNames[provider] ?? provider
  const found = calcPrice({}, providerModel, { providerId, timestamp: new Date(nowMs) })
  // The library also finds providers whose name only contains this one.
  if (found?.provider.id !== providerId) return null
  const { id, match } = found.model
  const name = providerModel.toLowerCase()
  if (id.toLowerCase() !== name && !names(match, name)) return null
  const rates = ratesIn(found.model_price)
  // A free unit and one without a price look alike in the data: both are taken as unknown.
  if (!rates?.inputPerMillionTokens && !rates?.inputAudioPerHour) return null
  const longContext = longContextIn(found.model_price)
  return { currency, ...rates, ...(longContext.length > 0 ? { longContext } : {}) }
}

/** Undefined if the vendor also charges for something that is not counted here. */
function ratesIn(prices: ModelPrice): UnitPrices | undefined {
  const rates: UnitPrices = {}
  for (const [key, price] of Object.entries(prices)) {
    const [rate, per] = otherRates[key] ?? [rateNames[key], 1]
    if (price === undefined || (rate === undefined && unused.test(key))) continue
    if (rate === undefined) return undefined
    rates[rate] = (typeof price === 'number' ? price : price.base) / per
  }
  return rates
}

function longContextIn(prices: ModelPrice): LongContextRates[] {
  const tiers = new Map<number, LongContextRates>()
  for (const [key, price] of Object.entries(prices)) {
    const rate = rateNames[key]
    if (rate === undefined || price === undefined || typeof price === 'number') continue
    for (const { start, price: dearer } of price.tiers) {
      const tier = tiers.get(start) ?? { aboveInputTokens: start }
      tiers.set(start, { ...tier, [rate]: dearer })
    }
  }
  const ascending = [...tiers.values()].sort((a, b) => a.aboveInputTokens - b.aboveInputTokens)
  // A rate that a tier does not state is inherited from the tier below.
  return ascending.map((tier, index) => Object.assign({}, ...ascending.slice(0, index), tier))
}

/** A suffix that does not make it another model: a date or `latest`. */
const dateStamp = /^(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest))?$/

/** Whether the name is the entry's own. The data also matches prefixes that newer models share. */
function names(match: MatchLogic, name: string): boolean {
  if ('or' in match) return match.or.some((one) => names(one, name))
  if ('and' in match) return match.and.every((one) => names(one, name))
  if ('equals' in match) return match.equals.toLowerCase() === name
  if ('regex' in match) return new RegExp(`^(?:${match.regex})$`).test(name)
  if (!('starts_with' in match)) return false
  const begin = match.starts_with.toLowerCase()
  return name.startsWith(begin) && dateStamp.test(name.slice(begin.length))
}
