import type { Capabilities, ModelKind, PriceSource, Pricing } from '#core/catalogue.ts'
import type { Shutdown } from '#core/lifecycle.ts'
import type { UnitPrices } from '#core/pricing.ts'
import type { VideoSeconds } from '#core/video-seconds.ts'

export type BuiltinModel = {
  /** `provider/model`, as callers write it. */
  id: string
  provider: 'openai' | 'anthropic' | 'gemini' | 'fal' | 'replicate'
  /** The provider's name for it. */
  providerModel: string
  name: string
  kind: ModelKind
  description: string
  capabilities: Capabilities
  /** The source of its capabilities. */
  facts: Citation
  pricing?: Pricing & { priceSource: string; priceDate: string; priceReviewed?: string }
  /** Prices that the vendor has announced, which apply from the start of a day (UTC). */
  laterPricing?: { fromDay: string; prices: UnitPrices }
  shutdown?: Shutdown
}

/** The model's own prices at a given time. */
export const pricesAt = (
  { pricing, laterPricing }: Pick<BuiltinModel, 'pricing' | 'laterPricing'>,
  nowMs: number,
): UnitPrices | undefined =>
  laterPricing && nowMs >= Date.parse(laterPricing.fromDay) ? laterPricing.prices : pricing

export const sourceOf = (pricing: NonNullable<BuiltinModel['pricing']>): PriceSource => ({
  source: pricing.priceSource,
  date: pricing.priceReviewed ?? pricing.priceDate,
})

/** `source`: an address, or `npm:package@version` for what a vendor's SDK documents. */
export type Citation = { source: string; date: string }

export const cited = (source: string, date: string): Citation => ({ source, date })

/** For a model that makes videos of certain lengths only. */
export const lengths = (values: number[], byDefault: number): VideoSeconds => ({
  min: Math.min(...values),
  max: Math.max(...values),
  default: byDefault,
  values,
})

/** Every whole number from the first to the last. */
export const through = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

export const from = (
  provider: BuiltinModel['provider'],
  providerModel: string,
  shortName = providerModel,
) => ({ id: `${provider}/${shortName}`, provider, providerModel })

/**
 * `priceDate`: the day the source states, else the day it was looked up; `priceReviewed`: the day
 * the price was last confirmed.
 */
export const flat = (
  price: Partial<Pricing>,
  priceDate: string,
  priceSource: string,
  priceReviewed?: string,
) => ({
  currency: 'USD',
  ...price,
  priceSource,
  priceDate,
  ...(priceReviewed === undefined ? {} : { priceReviewed }),
})

export const seesImages: Capabilities['inputModalities'] = ['text', 'image']

export const commonRatios = [
  '1:1',
  '2:3',
  '3:2',
  '3:4',
  '4:3',
  '4:5',
  '5:4',
  '9:16',
  '16:9',
  '21:9',
]

type Rates = { input: number; cached: number; output: number }

/** Both vendors charge a quarter more for input that is written to the cache for minutes. */
const textPrices = ({ input, cached, output }: Rates) => ({
  inputPerMillionTokens: input,
  cachedInputPerMillionTokens: cached,
  cacheWritePerMillionTokens: input * 1.25,
  outputPerMillionTokens: output,
})

/** 10 USD per thousand at both. */
const perSearch = 0.01

/** Anthropic charges double for input that is cached for an hour. */
export const claudeRates = (rates: Rates) => ({
  ...textPrices(rates),
  cacheWrite1hPerMillionTokens: rates.input * 2,
})

export const claudePrices = (rates: Rates) => ({ ...claudeRates(rates), perSearch })

/** Above 272,000 tokens of input the whole call costs double, its output half as much again. */
export const openAiPrices = ({ input, cached, output }: Rates) => ({
  ...textPrices({ input, cached, output }),
  perSearch,
  longContext: [
    {
      aboveInputTokens: 272_000,
      ...textPrices({ input: input * 2, cached: cached * 2, output: output * 1.5 }),
    },
  ],
})
