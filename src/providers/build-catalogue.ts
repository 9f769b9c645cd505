import { currency } from '#core/money.ts'
import { priceNames, type UnitPrices } from '#core/pricing.ts'
import { type CatalogueEntry, type Model, modelKinds, type Pricing } from './catalogue.ts'
import { type ModelEntry, ModelsFileError } from './models-file.ts'

/** A model that is built into this version of Atelier. */
export type KnownModel = Omit<Model, 'enabled' | 'pricing'> & {
  providerModel: string
  /** The model's own prices; without them those of the price data apply. */
  pricing?: UnitPrices | null
}

export type CatalogueSources = {
  known: readonly KnownModel[]
  fromFile: readonly ModelEntry[]
  /** Providers that can be called: those with a key, the embedded one and the file's endpoints. */
  configuredProviders: ReadonlySet<string>
  tokenPrices: TokenPrices
}

/** The provider's prices from the price data; null if it has none for this model. */
export type TokenPrices = (provider: string, providerModel: string) => Pricing | null

/** Later sources override earlier ones. A model whose provider has no key is known but disabled. */
export function buildEntries({
  known,
  fromFile,
  configuredProviders,
  tokenPrices,
}: CatalogueSources): CatalogueEntry[] {
  const entries = new Map<string, CatalogueEntry>()
  for (const { providerModel, pricing, ...model } of known) {
    entries.set(model.id, {
      model: {
        ...model,
        enabled: configuredProviders.has(model.provider),
        pricing: withTokenPrices(pricing, () => tokenPrices(model.provider, providerModel)),
      },
      provider: model.provider,
      providerModel,
      fallbacks: [],
    })
  }
  const knownProviders = new Set([...known.map((model) => model.provider), ...configuredProviders])
  for (const change of fromFile) {
    const entry = changed(entries.get(change.id), change, tokenPrices)
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
  return [...entries.values()]
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
  tokenPrices: TokenPrices,
): CatalogueEntry {
  const kind = change.kind ?? base?.model.kind
  const provider = change.provider ?? base?.provider
  if (!kind || !provider) {
    throw new ModelsFileError(
      `adds "${change.id}", which needs at least a kind (${modelKinds.join(', ')}) and a provider`,
    )
  }
  const providerModel = change.providerModel ?? base?.providerModel ?? change.id
  const pricing = change.pricing
    ? repriced(base?.model.pricing, change.pricing)
    : (base?.model.pricing ?? tokenPrices(provider, providerModel))
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
      pricing,
      ...(base?.model.demo ? { demo: true } : {}),
    },
    provider,
    providerModel,
    fallbacks: change.fallbacks ?? base?.fallbacks ?? [],
  }
}

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
  const { inputPerMillionTokens, outputPerMillionTokens, perImage, perSecond } = base ?? {}
  const kept = { inputPerMillionTokens, outputPerMillionTokens, perImage, perSecond }
  return { currency, ...kept, ...given }
}

/**
 * A model's own prices are used as they are; without any, those of the price data. Where that data
 * prices tokens of pictures, the tokens are billed, and the price per picture is the estimate.
 */
function withTokenPrices(own: KnownModel['pricing'], look: () => Pricing | null): Pricing | null {
  if (!own) return look()
  const { perImage } = own
  if (perImage !== undefined) return { currency, ...look(), perImage }
  const named = priceNames.filter((name) => own[name] !== undefined)
  return { currency, ...Object.fromEntries(named.map((name) => [name, own[name]])) }
}
