// PRICES_FILE: prices that the operator refreshes without a new version. Either our own format or
// LiteLLM's model_prices_and_context_window.json, as it is published. Our own is checked like
// MODELS_FILE; of LiteLLM's, which has thousands of models, only what we can bill exactly is used.
import { createAjv } from '#core/ajv.ts'
import type { PriceSource, Pricing } from '#core/catalogue.ts'
import { currency } from '#core/money.ts'
import { once } from '#core/once.ts'
import type { LongContextRates, TokenRates, UnitPrices } from '#core/pricing.ts'
import { type Static, Type } from '#core/schema.ts'
import { ModelsFileError, problemsOf, readJson } from './models-file.ts'
import { UnitPricesSchema } from './price-schema.ts'

export type SourcedPricing = { pricing: Pricing; priceSource?: PriceSource | undefined }

/** The prices of one model, or null. `id`: as callers write it. */
export type PriceLookup = (model: {
  id: string
  provider: string
  providerModel: string
}) => SourcedPricing | null

export type PricesFile = { find: PriceLookup; source: string; date: string | null; models: number }

const closed = { additionalProperties: false }
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'a day, as 2026-11-17' })
const OwnFile = Type.Object(
  {
    source: Type.String({ minLength: 1, maxLength: 500 }),
    date: Day,
    prices: Type.Record(Type.String({ minLength: 1 }), UnitPricesSchema),
  },
  closed,
)

export const noPrices: PricesFile = { find: () => null, source: '', date: null, models: 0 }

/** Throws a ModelsFileError that says what is wrong. */
export function parsePricesFile(text: string): PricesFile {
  const value = readJson(text)
  return isLiteLlm(value) ? fromLiteLlm(value) : fromOwn(value)
}

const checkOwn = once(() =>
  createAjv({ allErrors: true, verbose: true }).compile<Static<typeof OwnFile>>(OwnFile),
)

function fromOwn(value: unknown): PricesFile {
  const check = checkOwn()
  if (!check(value)) throw new ModelsFileError(problemsOf(check.errors ?? []))
  const { source, date, prices } = value
  return {
    find: ({ id }) => {
      const own = Object.hasOwn(prices, id) ? prices[id] : undefined
      return own ? { pricing: { currency, ...own }, priceSource: { source, date } } : null
    },
    ...{ source, date, models: Object.keys(prices).length },
  }
}

type LiteLlmEntry = Readonly<Record<string, unknown>> & { litellm_provider: string }

const isEntry = (value: unknown): value is LiteLlmEntry =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Record<string, unknown>).litellm_provider === 'string'

const isLiteLlm = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.values(value).some(isEntry)

/** The provider's name in the file, where it differs from ours. */
const liteLlmNames: Record<string, string> = { fal: 'fal_ai' }
const liteLlmSource = 'LiteLLM model_prices_and_context_window.json'

function fromLiteLlm(value: Record<string, unknown>): PricesFile {
  const byName = new Map<string, UnitPrices>()
  for (const [name, entry] of Object.entries(value)) {
    const prices = isEntry(entry) ? pricesIn(entry) : null
    if (prices && isEntry(entry)) byName.set(`${entry.litellm_provider} ${name}`, prices)
  }
  if (byName.size === 0) throw new ModelsFileError('has no price that can be used')
  return {
    find({ provider, providerModel }) {
      const theirs = liteLlmNames[provider] ?? provider
      const prices =
        byName.get(`${theirs} ${providerModel}`) ??
        byName.get(`${theirs} ${theirs}/${providerModel}`)
      const priceSource = { source: liteLlmSource, date: null }
      return prices ? { pricing: { currency, ...prices }, priceSource } : null
    },
    ...{ source: liteLlmSource, date: null, models: byName.size },
  }
}

/** Prices of one token. A suffix `_above_200k_tokens` begins a tier. */
const tokenPrices: Record<string, keyof TokenRates> = {
  input_cost_per_token: 'inputPerMillionTokens',
  cache_read_input_token_cost: 'cachedInputPerMillionTokens',
  cache_creation_input_token_cost: 'cacheWritePerMillionTokens',
  cache_creation_input_token_cost_above_1hr: 'cacheWrite1hPerMillionTokens',
  input_cost_per_image_token: 'inputImagePerMillionTokens',
  input_cost_per_audio_token: 'inputAudioPerMillionTokens',
  cache_read_input_image_token_cost: 'cachedImagePerMillionTokens',
  cache_read_input_audio_token_cost: 'cachedAudioPerMillionTokens',
  output_cost_per_token: 'outputPerMillionTokens',
  output_cost_per_reasoning_token: 'reasoningPerMillionTokens',
  output_cost_per_image_token: 'outputImagePerMillionTokens',
  output_cost_per_audio_token: 'outputAudioPerMillionTokens',
}

/** Other prices, and how many of their units ours is for. */
const otherPrices: Record<string, [name: keyof UnitPrices & string, units: number]> = {
  output_cost_per_image: ['perImage', 1],
  output_cost_per_second: ['perSecond', 1],
  output_cost_per_video_per_second: ['perSecond', 1],
  input_cost_per_character: ['inputPerMillionCharacters', 1e6],
}

/** Null if there is nothing in it that we bill, or if all of it is 0, which may mean unknown. */
function pricesIn(entry: LiteLlmEntry): UnitPrices | null {
  const prices: UnitPrices = {}
  const tiers = new Map<number, LongContextRates>()
  for (const [key, price] of Object.entries(entry)) {
    if (typeof price !== 'number' || !(price >= 0)) continue
    const [, base = key, thousands] = /^(.+)_above_(\d+)k_tokens$/.exec(key) ?? []
    const rate = tokenPrices[base]
    if (rate && thousands) {
      const aboveInputTokens = Number(thousands) * 1_000
      const tier = tiers.get(aboveInputTokens) ?? { aboveInputTokens }
      tiers.set(aboveInputTokens, { ...tier, [rate]: exact(price * 1e6) })
    } else if (rate) prices[rate] = exact(price * 1e6)
    const other = thousands ? undefined : otherPrices[key]
    if (other) Object.assign(prices, { [other[0]]: exact(price * other[1]) })
  }
  const { mode, input_cost_per_second: perSecond } = entry
  if (mode === 'audio_transcription' && typeof perSecond === 'number')
    prices.inputAudioPerHour = exact(perSecond * 3_600)
  // The pictures are all that such a model puts out.
  if (mode === 'image_generation')
    prices.outputPerMillionTokens ??= prices.outputImagePerMillionTokens
  if (!Object.values(prices).some((price) => Number(price) > 0) || isHalf(prices)) return null
  const longContext = [...tiers.values()].sort((a, b) => a.aboveInputTokens - b.aboveInputTokens)
  return longContext.length > 0 ? { ...prices, longContext } : prices
}

/** Half a price would replace a whole one. Vectors have no output, so that their mode may be half. */
const isHalf = ({ inputPerMillionTokens: input, outputPerMillionTokens: output }: UnitPrices) =>
  output !== undefined && input === undefined

/** Without the error of a multiplication in floating point: 2.5e-06 is 2.5 per million. */
const exact = (price: number): number => Number(price.toPrecision(12))
