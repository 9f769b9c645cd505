// model_prices_and_context_window.json, as LiteLLM publishes it. It has thousands of models; only
// what we can bill exactly is used.
import type { Capabilities, ModelKind } from '#core/catalogue.ts'
import type { LongContextRates, TokenRates, UnitPrices } from '#core/pricing.ts'
import { isRecord } from '#core/record.ts'
import {
  exact,
  isDay,
  isFree,
  isHalf,
  type ListedModel,
  limitOf,
  type PriceList,
} from './price-list.ts'

type Entry = Readonly<Record<string, unknown>> & { litellm_provider: string }

const isEntry = (value: unknown): value is Entry =>
  isRecord(value) && typeof value.litellm_provider === 'string'

export const isLiteLlm = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && Object.values(value).some(isEntry)

/** Our names of providers that the list calls otherwise. */
const providers: Record<string, string> = { fal_ai: 'fal' }

const kinds: Record<string, ModelKind> = {
  ...{ chat: 'TEXT', responses: 'TEXT', embedding: 'EMBEDDING', image_generation: 'IMAGE' },
  ...{ video_generation: 'VIDEO', audio_speech: 'SPEECH', audio_transcription: 'TRANSCRIPTION' },
}

export function fromLiteLlm(value: Record<string, unknown>): PriceList {
  const models = Object.entries(value).flatMap(([name, entry]) =>
    isEntry(entry) && name !== 'sample_spec' ? [listed(name, entry)] : [],
  )
  // Some models are listed with and without their provider's name; the latter counts.
  models.sort((a, b) => Number(b.name !== b.providerModel) - Number(a.name !== a.providerModel))
  return { source: 'LiteLLM model_prices_and_context_window.json', models }
}

function listed(name: string, entry: Entry): ListedModel {
  const { litellm_provider: theirs, mode, deprecation_date: day } = entry
  const providerModel = name.startsWith(`${theirs}/`) ? name.slice(theirs.length + 1) : name
  return {
    ...{ provider: providers[theirs] ?? theirs, providerModel, name },
    kind: (typeof mode === 'string' ? kinds[mode] : undefined) ?? null,
    prices: pricesIn(entry),
    batchPrices: laterPricesIn(entry, 'batches'),
    flexPrices: laterPricesIn(entry, 'flex'),
    capabilities: capabilitiesIn(entry),
    shutdown: isDay(day) ? { day } : null,
  }
}

function capabilitiesIn(entry: Entry): Partial<Capabilities> {
  const maxInputTokens = limitOf(entry.max_input_tokens)
  const maxOutputTokens = limitOf(entry.max_output_tokens)
  return {
    inputModalities: entry.supports_vision === true ? ['text', 'image'] : ['text'],
    ...(maxInputTokens ? { maxInputTokens } : {}),
    ...(maxOutputTokens ? { maxOutputTokens } : {}),
    ...(entry.supports_pdf_input === true ? { documents: true } : {}),
    ...(entry.supports_response_schema === true ? { structuredOutput: true } : {}),
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

/** Null unless input and output are priced: half a price would be no price. */
function laterPricesIn(entry: Entry, way: 'batches' | 'flex'): UnitPrices | null {
  const input = entry[`input_cost_per_token_${way}`]
  const output = entry[`output_cost_per_token_${way}`]
  const cached = entry[`cache_read_input_token_cost_${way}`]
  if (typeof input !== 'number' || typeof output !== 'number' || !(input > 0 && output > 0))
    return null
  return {
    inputPerMillionTokens: exact(input * 1e6),
    outputPerMillionTokens: exact(output * 1e6),
    ...(typeof cached === 'number' && cached > 0
      ? { cachedInputPerMillionTokens: exact(cached * 1e6) }
      : {}),
  }
}

/** Null if there is nothing in it that we bill, or if all of it is 0. */
function pricesIn(entry: Entry): UnitPrices | null {
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
  if (isFree(prices) || isHalf(prices)) return null
  const longContext = [...tiers.values()].sort((a, b) => a.aboveInputTokens - b.aboveInputTokens)
  return longContext.length > 0 ? { ...prices, longContext } : prices
}
