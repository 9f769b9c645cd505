// api.json of models.dev: models by provider, with prices per million tokens.
import type { Capabilities, ModelKind } from '#core/catalogue.ts'
import type { LongContextRates, TokenRates, UnitPrices } from '#core/pricing.ts'
import { isRecord } from '#core/record.ts'
import { exact, isFree, isHalf, type ListedModel, limitOf, type PriceList } from './price-list.ts'

type Entry = Readonly<Record<string, unknown>>
type Provider = { models: Record<string, unknown> }

const isProvider = (value: unknown): value is Provider =>
  isRecord(value) && typeof value.id === 'string' && isRecord(value.models)

export const isModelsDev = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && Object.values(value).length > 0 && Object.values(value).every(isProvider)

/** Our names of providers that the list calls otherwise. */
const providers: Record<string, string> = { google: 'gemini' }

export function fromModelsDev(value: Record<string, unknown>): PriceList {
  const models = Object.entries(value).flatMap(([theirs, provider]) =>
    Object.entries(isProvider(provider) ? provider.models : {}).flatMap(([id, entry]) =>
      isRecord(entry) ? [listed(providers[theirs] ?? theirs, id, entry)] : [],
    ),
  )
  return { source: 'models.dev api.json', models }
}

function listed(provider: string, providerModel: string, entry: Entry): ListedModel {
  return {
    ...{ provider, providerModel },
    name: typeof entry.name === 'string' ? entry.name : providerModel,
    kind: kindOf(entry),
    prices: pricesIn(entry.cost),
    capabilities: capabilitiesIn(entry),
    // The list knows that a model is on its way out, but not the day.
    shutdown: entry.status === 'deprecated' ? {} : null,
  }
}

const words = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((word) => typeof word === 'string') : []
const modalities = ({ modalities: of }: Entry, side: 'input' | 'output'): string[] =>
  isRecord(of) ? words(of[side]) : []

/** It lists vectors as text that cannot be sampled; only their name tells them apart. */
function kindOf(entry: Entry): ModelKind | null {
  const [only, ...more] = modalities(entry, 'output')
  if (more.length > 0 || only === undefined) return null
  if (only === 'text') return /embed/i.test(String(entry.id)) ? 'EMBEDDING' : 'TEXT'
  return only === 'image' ? 'IMAGE' : only === 'video' ? 'VIDEO' : null
}

function capabilitiesIn(entry: Entry): Partial<Capabilities> {
  const input = modalities(entry, 'input')
  const limit = isRecord(entry.limit) ? entry.limit : {}
  const maxInputTokens = limitOf(limit.input) ?? limitOf(limit.context)
  const maxOutputTokens = limitOf(limit.output)
  return {
    inputModalities: input.includes('image') ? ['text', 'image'] : ['text'],
    ...(maxInputTokens ? { maxInputTokens } : {}),
    ...(maxOutputTokens ? { maxOutputTokens } : {}),
    ...(input.includes('pdf') ? { documents: true } : {}),
    ...(entry.structured_output === true ? { structuredOutput: true } : {}),
  }
}

const rates: Record<string, keyof TokenRates> = {
  input: 'inputPerMillionTokens',
  output: 'outputPerMillionTokens',
  reasoning: 'reasoningPerMillionTokens',
  cache_read: 'cachedInputPerMillionTokens',
  cache_write: 'cacheWritePerMillionTokens',
  input_audio: 'inputAudioPerMillionTokens',
  output_audio: 'outputAudioPerMillionTokens',
}

function pricesIn(cost: unknown): UnitPrices | null {
  if (!isRecord(cost)) return null
  const prices = ratesIn(cost)
  if (isFree(prices) || isHalf(prices)) return null
  const longContext = tiersIn(cost)
  // A tier that we cannot bill would make long calls look cheap.
  if (longContext === null) return null
  return longContext.length > 0 ? { ...prices, longContext } : prices
}

function ratesIn(cost: Entry): TokenRates {
  const found: TokenRates = {}
  for (const [key, rate] of Object.entries(rates)) {
    const price = cost[key]
    if (typeof price === 'number' && price >= 0) found[rate] = exact(price)
  }
  return found
}

/** Null if one of them is not about the size of the context. */
function tiersIn(cost: Entry): LongContextRates[] | null {
  const old = isRecord(cost.context_over_200k)
    ? [{ aboveInputTokens: 200_000, ...ratesIn(cost.context_over_200k) }]
    : []
  if (!Array.isArray(cost.tiers)) return old
  const tiers = cost.tiers.map((one) => {
    const tier = isRecord(one) && isRecord(one.tier) ? one.tier : {}
    const size = limitOf(tier.size)
    const isContext = tier.type === undefined || tier.type === 'context'
    return isContext && size ? { aboveInputTokens: size, ...ratesIn(one as Entry) } : null
  })
  const known = tiers.filter((tier) => tier !== null)
  if (known.length < tiers.length) return null
  return known.sort((a, b) => a.aboveInputTokens - b.aboveInputTokens)
}
