// What vendors bill for text calls in batches and in OpenAI's flex tier. Only models that are known to
// take them have such a price: those that the operator says so of, those that a published list prices
// so, and for batches the text models of OpenAI and Anthropic that are built in.
//   OpenAI     half the price of input and output (guide "Batch API", 2026-11)
//   Anthropic  half the price of all tokens, for all active models (docs, "Batch processing", 2026-11)
//   Flex       some models of OpenAI only, at the price of batches (guide "Flex processing", 2026-11)
import type { CatalogueEntry, Pricing } from '#core/catalogue.ts'
import { type TokenRates, tokenRates, type UnitPrices } from '#core/pricing.ts'
import type { ModelEntry } from './models-file.ts'
import { exact } from './price-lists/price-list.ts'

const vendors: ReadonlySet<string> = new Set(['openai', 'anthropic'])

export type BatchPriceSources = {
  /** What MODELS_FILE says about the model. */
  change: ModelEntry | undefined
  /** Prices of a published list. */
  listed: UnitPrices | null
  isBuiltIn: boolean
}

/** Undefined if the model is not known to take batches, or has no price. */
export function batchPricingOf(
  { model, provider }: CatalogueEntry,
  { change, listed, isBuiltIn }: BatchPriceSources,
): Pricing | undefined {
  const { pricing, kind } = model
  if (pricing === null || (kind !== 'TEXT' && kind !== 'CODE')) return undefined
  if (change?.batch === false) return undefined
  if (change?.batchPricing) return { ...halfOf(pricing), ...change.batchPricing }
  if (change?.batch === true) return halfOf(pricing)
  if (listed && !change?.pricing) return { ...halfOf(pricing), ...listed }
  return isBuiltIn && vendors.has(provider) ? halfOf(pricing) : undefined
}

/** Undefined if the model is not known to have a flex tier, or has no price. */
export function flexPricingOf(
  { model: { pricing, kind } }: CatalogueEntry,
  { change, listed }: Omit<BatchPriceSources, 'isBuiltIn'>,
): Pricing | undefined {
  if (pricing === null || (kind !== 'TEXT' && kind !== 'CODE')) return undefined
  if (change?.flex === false) return undefined
  if (change?.flexPricing) return { ...halfOf(pricing), ...change.flexPricing }
  if (change?.flex === true) return halfOf(pricing)
  return listed && !change?.pricing ? { ...halfOf(pricing), ...listed } : undefined
}

/** Searches and the like cost the same as outside batches. */
function halfOf(pricing: Pricing): Pricing {
  const tiers = pricing.longContext?.map((tier) => ({ ...tier, ...halved(tier) }))
  return { ...pricing, ...halved(pricing), ...(tiers ? { longContext: tiers } : {}) }
}

const halved = (rates: TokenRates): TokenRates =>
  Object.fromEntries(
    tokenRates.flatMap((name) => {
      const rate = rates[name]
      return rate === undefined ? [] : [[name, exact(rate / 2)]]
    }),
  )
