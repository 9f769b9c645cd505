import type { UnitPrices } from '#core/pricing.ts'
import type { VideoSeconds } from '#core/video-seconds.ts'
import type { Capabilities, ModelKind, Pricing } from './catalogue.ts'

export type BuiltinModel = {
  /** `provider/model`, as callers write it. */
  id: string
  provider: 'openai' | 'anthropic' | 'gemini' | 'fal' | 'replicate'
  /** The name it has there. */
  providerModel: string
  name: string
  kind: ModelKind
  description: string
  capabilities: Capabilities
  /** Where its capabilities were read. */
  facts: Citation
  pricing?: Pricing & { priceSource: string; priceDate: string; priceReviewed?: string }
  /** What its vendor has announced to ask for it instead, from the beginning of a day (UTC). */
  laterPricing?: { fromDay: string; prices: UnitPrices }
}

/** Its own prices at a time. */
export const pricesAt = (
  { pricing, laterPricing }: Pick<BuiltinModel, 'pricing' | 'laterPricing'>,
  nowMs: number,
): UnitPrices | undefined =>
  laterPricing && nowMs >= Date.parse(laterPricing.fromDay) ? laterPricing.prices : pricing

/** `source`: an address, or `npm:package@version` for what a vendor's SDK documents. */
export type Citation = { source: string; date: string }

export const cited = (source: string, date: string): Citation => ({ source, date })

/** A model that takes certain lengths only. */
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
 * somebody last saw that it still holds.
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
