import {
  type CatalogueEntry,
  type Model,
  modelKinds,
  type PriceSource,
  type Pricing,
} from '#core/catalogue.ts'
import { lifecycleAt, type Shutdown } from '#core/lifecycle.ts'
import { currency } from '#core/money.ts'
import { priceNames, type UnitPrices } from '#core/pricing.ts'
import { batchPricingOf, flexPricingOf } from './batch-prices.ts'
import { type ModelEntry, ModelsFileError } from './models-file.ts'
import type { PriceLookup, PricesFile, SourcedPricing } from './prices-file.ts'

/** A model that is built into this version of Atelier. */
export type KnownModel = Omit<Model, 'enabled' | 'pricing'> & {
  providerModel: string
  /** The model's own prices; without them those of the price data apply. */
  pricing?: UnitPrices | null
  shutdown?: Shutdown | undefined
}

type Priced = Pick<Model, 'pricing' | 'priceSource'>

export type CatalogueSources = {
  known: readonly KnownModel[]
  fromFile: readonly ModelEntry[]
  /** Providers that can be called: those with a key, the demo and the file's endpoints. */
  configuredProviders: ReadonlySet<string>
  tokenPrices: TokenPrices
  /** PRICES_FILE. Its prices replace those that are built in. */
  pricesFile: Pick<PricesFile, 'find' | 'shutdownOf' | 'batchPricesOf' | 'flexPricesOf'>
  nowMs: number
}

/** The provider's prices from the price data; null if it has none for this model. */
export type TokenPrices = (provider: string, providerModel: string) => SourcedPricing | null

/** Later sources override earlier ones. A model whose provider has no key is known but disabled. */
export function buildEntries({
  known,
  fromFile,
  configuredProviders,
  tokenPrices,
  pricesFile,
  nowMs,
}: CatalogueSources): CatalogueEntry[] {
  const entries = new Map<string, CatalogueEntry>()
  /** PRICES_FILE before the data that is built in. */
  const look = (model: { id: string; provider: string; providerModel: string }) =>
    pricesFile.find(model) ?? tokenPrices(model.provider, model.providerModel)
  for (const { providerModel, pricing, priceSource, shutdown: _, ...model } of known) {
    const own = { pricing, priceSource }
    const fromOperator = model.demo ? null : pricesFile.find({ ...model, providerModel })
    const priced =
      fromOperator ?? withTokenPrices(own, () => tokenPrices(model.provider, providerModel))
    entries.set(model.id, {
      model: { ...model, enabled: configuredProviders.has(model.provider), ...priced },
      provider: model.provider,
      providerModel,
      fallbacks: [],
    })
  }
  const knownProviders = new Set([...known.map((model) => model.provider), ...configuredProviders])
  for (const change of fromFile) {
    const entry = changed(entries.get(change.id), change, look)
    if (!knownProviders.has(entry.provider)) {
      throw new ModelsFileError(
        `assigns "${change.id}" to the unknown provider "${entry.provider}": use one of ${[...knownProviders].join(', ')}`,
      )
    }
    if (!configuredProviders.has(entry.provider) && change.enabled === true) {
      throw new ModelsFileError(
        `enables "${change.id}", but provider "${entry.provider}" is not configured`,
      )
    }
    const isEnabled = (change.enabled ?? true) && configuredProviders.has(entry.provider)
    const isWithdrawn = change.enabled === false
    entries.set(change.id, { ...entry, model: { ...entry.model, enabled: isEnabled }, isWithdrawn })
  }
  for (const { model, fallbacks } of entries.values()) {
    for (const id of fallbacks) checkFallback(model, id, entries.get(id)?.model)
  }
  const ends = announcedEnds(known, fromFile)
  const changes = new Map(fromFile.map((change) => [change.id, change]))
  const builtIn = new Set(known.map(({ id }) => id))
  return [...entries.values()].map((entry) => {
    const { model, provider, providerModel } = entry
    const named = { id: model.id, provider, providerModel }
    const change = changes.get(model.id)
    const batchPricing = batchPricingOf(entry, {
      change,
      listed: pricesFile.batchPricesOf(named),
      isBuiltIn: builtIn.has(model.id),
    })
    const flexPricing = flexPricingOf(entry, { change, listed: pricesFile.flexPricesOf(named) })
    const later = { ...(batchPricing && { batchPricing }), ...(flexPricing && { flexPricing }) }
    const whole = { ...entry, ...later }
    const end = ends.byId(named) ?? pricesFile.shutdownOf(named) ?? ends.byName(named)
    return end ? { ...whole, model: { ...model, lifecycle: lifecycleAt(end, nowMs) } } : whole
  })
}

/** By what a vendor calls a model, since another one under the same id has its own end. */
function announcedEnds(known: readonly KnownModel[], fromFile: readonly ModelEntry[]) {
  const nameOf = (model: { provider: string; providerModel: string }) =>
    `${model.provider} ${model.providerModel}`
  const byName = new Map(known.map((model) => [nameOf(model), model.shutdown]))
  const byId = new Map(
    fromFile.map(({ id, lifecycle }) => [
      id,
      lifecycle && { ...lifecycle, day: lifecycle.shutdownAt },
    ]),
  )
  return {
    byId: ({ id }: { id: string }): Shutdown | undefined => byId.get(id),
    byName: (model: { provider: string; providerModel: string }): Shutdown | undefined =>
      byName.get(nameOf(model)),
  }
}

const medium = ({ kind }: Model) => (kind === 'CODE' ? 'TEXT' : kind)

function checkFallback(model: Model, id: string, fallback: Model | undefined) {
  const lets = `lets "${model.id}" fall back to "${id}"`
  if (!fallback) throw new ModelsFileError(`${lets}, which is unknown`)
  if (model.kind === 'EMBEDDING')
    throw new ModelsFileError(`${lets}, but vectors of two models cannot be compared`)
  if (model.kind === 'SPEECH' || model.kind === 'TRANSCRIPTION')
    throw new ModelsFileError(`${lets}, but models of kind ${model.kind} have no fallbacks`)
  if (medium(fallback) !== medium(model))
    throw new ModelsFileError(`${lets}, which is of kind ${fallback.kind}`)
}

function changed(
  base: CatalogueEntry | undefined,
  change: ModelEntry,
  look: PriceLookup,
): CatalogueEntry {
  const kind = change.kind ?? base?.model.kind
  const provider = change.provider ?? base?.provider
  if (!kind || !provider) {
    throw new ModelsFileError(
      `adds "${change.id}", which needs at least a kind (${modelKinds.join(', ')}) and a provider`,
    )
  }
  const providerModel = change.providerModel ?? base?.providerModel ?? change.id
  const priced = change.pricing
    ? { pricing: repriced(base?.model.pricing, change.pricing), priceSource: fromModelsFile }
    : (pricedIn(base?.model) ?? look({ id: change.id, provider, providerModel }))
  const capabilities = {
    inputModalities: ['text' as const],
    ...base?.model.capabilities,
    ...(change.capabilities as Model['capabilities'] | undefined),
  }
  return {
    model: {
      id: change.id,
      name: change.name ?? base?.model.name ?? change.id,
      provider,
      kind,
      description: change.description ?? base?.model.description ?? '',
      enabled: true,
      capabilities,
      ...(priced ?? { pricing: null }),
      ...(base?.model.demo ? { demo: true } : {}),
    },
    provider,
    providerModel,
    fallbacks: change.fallbacks ?? base?.fallbacks ?? [],
  }
}

const fromModelsFile: PriceSource = { source: 'MODELS_FILE', date: null }

const pricedIn = (model: Model | undefined): Priced | null =>
  model?.pricing
    ? {
        pricing: model.pricing,
        ...(model.priceSource ? { priceSource: model.priceSource } : {}),
      }
    : null

/** Units other than tokens. If the operator prices one of them, no published price applies. */
const otherUnits = [
  'perImage',
  'perSecond',
  'inputAudioPerHour',
  'inputPerMillionCharacters',
] as const

/**
 * Drops the published rates for cached tokens and long input, because they would undo the
 * operator's prices.
 */
function repriced(base: Pricing | null | undefined, given: UnitPrices): Pricing {
  if (otherUnits.some((name) => given[name] !== undefined)) return { currency, ...given }
  const { inputPerMillionTokens, outputPerMillionTokens, perImage, perSecond, perSearch } =
    base ?? {}
  const kept = { inputPerMillionTokens, outputPerMillionTokens, perImage, perSecond, perSearch }
  return { currency, ...kept, ...given }
}

/**
 * A model's own prices are used as they are; without any, those of the price data. Where that data
 * prices tokens of pictures, the tokens are billed, and the price per picture is the estimate. A
 * price of searches alone adds to the data, which may not have it.
 */
function withTokenPrices(
  { pricing: own, priceSource }: Pick<KnownModel, 'pricing' | 'priceSource'>,
  look: () => SourcedPricing | null,
): Priced {
  if (!own) return look() ?? { pricing: null }
  const { perImage, perSearch } = own
  const named = priceNames.filter((name) => own[name] !== undefined)
  if (perSearch !== undefined && named.length === 1) {
    const found = look()
    return found?.pricing
      ? { ...found, pricing: { perSearch, ...found.pricing } }
      : { pricing: null }
  }
  const pricing =
    perImage === undefined
      ? { currency, ...Object.fromEntries(named.map((name) => [name, own[name]])) }
      : { currency, ...look()?.pricing, perImage }
  return { pricing, ...(priceSource ? { priceSource } : {}) }
}
