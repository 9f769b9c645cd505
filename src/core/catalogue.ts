// The models this server offers, as callers see them, and which adapter serves each.
// Replaced as a whole when the operator's file changes; never calls a provider.
import type { SpeechFormat, TranscriptFormat } from './audio.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { MediaOption } from './media-options.ts'
import { currency } from './money.ts'
import type { StandIns, UnitPrices } from './pricing.ts'
import type { Route } from './route.ts'
import type { HostedForm, ReasoningEffort } from './text-stream.ts'
import type { VideoSeconds } from './video-seconds.ts'

/** Only the compatible APIs use the kinds after VIDEO; no native operation or node does. */
export const modelKinds = [
  'TEXT',
  'CODE',
  'IMAGE',
  'VIDEO',
  'EMBEDDING',
  'SPEECH',
  'TRANSCRIPTION',
] as const
export type ModelKind = (typeof modelKinds)[number]

/** A parameter is checked only where its bounds are declared. */
export type Capabilities = {
  inputModalities: ('text' | 'image' | 'video' | 'audio')[]
  /** It reads PDFs. */
  documents?: boolean
  /** The vendor searches the web for it, asked in the form of this vendor's API. */
  webSearch?: HostedForm
  /** How many pictures one generation accepts; 1 unless declared. */
  maxInputImages?: number
  /** A mask may say which part of the first picture it changes. */
  mask?: boolean
  maxInputTokens?: number
  maxOutputTokens?: number
  /** The minimum of `maxTokens`; 1 unless declared. */
  minOutputTokens?: number
  /** Input sizes above which the vendor charges more for the whole call. */
  contextTiers?: number[]
  temperature?: { min: number; max: number }
  topP?: { min: number; max: number }
  /** False: the vendor's API does not support stop sequences. */
  stopSequences?: boolean
  /** The reasoning efforts that a request may ask for. */
  reasoningEfforts?: ReasoningEffort[]
  /** The vendor guarantees that an answer conforms to a given JSON schema. */
  structuredOutput?: boolean
  /** False: the model cannot be forced to call a function, or a particular one. */
  forcedToolChoice?: boolean
  imageAspectRatios?: string[]
  imageQualities?: string[]
  imageSampleSizes?: string[]
  videoAspectRatios?: string[]
  videoResolutions?: string[]
  videoSeconds?: VideoSeconds
  videoAudio?: boolean
  /** Further parameters of a picture or video that reach it; none unless declared. */
  mediaOptions?: MediaOption[]
  /** The lengths that its vectors may have. */
  embeddingDimensions?: { min: number; max: number; default: number }
  speechFormats?: SpeechFormat[]
  /** False: it accepts no instructions on how to speak. */
  speechInstructions?: boolean
  /** It can send speech as events; only these report how many tokens were used. */
  speechEvents?: boolean
  transcriptFormats?: TranscriptFormat[]
}

/** In major units of the currency. A missing price is unknown, never 0. */
export type Pricing = UnitPrices & {
  currency: string
  /** An account chose these prices, because those of the vendor are not known. */
  standIn?: true
}

/** Where a price is from, and the day for which its source states it or it was looked up. */
export type PriceSource = { source: string; date: string | null }

export type Model = {
  id: string
  name: string
  provider: string
  kind: ModelKind
  description: string
  enabled: boolean
  capabilities: Capabilities
  pricing: Pricing | null
  /** Absent if there is no price, or if nobody has to be paid. */
  priceSource?: PriceSource | undefined
  demo?: true
  /** Absent as long as nothing is known about its end. */
  lifecycle?: Lifecycle
  /** It stands for several models, of which one answers. */
  route?: true
}

export type CatalogueEntry = {
  model: Model
  /** The adapter that serves it, and the provider's name for it. */
  provider: string
  providerModel: string
  /** Of a call, if the server has several keys for the provider: the name of the chosen one. */
  deployment?: string
  /** Tried in order, each only if the one before certainly did not accept the call. */
  fallbacks: readonly string[]
  /** What its vendor bills for calls in batches; absent if it is not known to take any. */
  batchPricing?: Pricing
  /** The same for its flex tier, which answers slowly, or not at all when it is full. */
  flexPricing?: Pricing
  /**
   * The operator disabled it or no longer lists it. Unlike a model that only lacks the server's
   * key, it is not called with an account's key either.
   */
  isWithdrawn?: boolean
  /** Its candidates answer in its place; `fallbacks` has their names. */
  route?: Route
  /** Of a route: the candidates that the server's own keys can call, at the vendors' prices. */
  served?: readonly CatalogueEntry[]
}

/** Whose key a call is billed to. */
export type KeyOwner = 'server' | 'account'

/** `credential`: the stored credential that a call names, if any. */
export const ownerOf = (credential: string | null | undefined): KeyOwner =>
  credential == null ? 'server' : 'account'

export type Catalogue = {
  /** Incremented by each replacement; caches of data derived from the models compare it. */
  readonly revision: number
  /** Enabled models, in the order they are shown. */
  readonly models: readonly Model[]
  /** Models that need a key of the account, because the server has none for their provider. */
  readonly keyless: readonly Model[]
  /** All of them, whether they can be used or not. */
  readonly entries: readonly CatalogueEntry[]
  /** Enabled models only. */
  find(id: string): CatalogueEntry | undefined
  /** Disabled models too, for example to explain why a model cannot be used. */
  known(id: string): CatalogueEntry | undefined
}

export type ReplaceableCatalogue = Catalogue & {
  /**
   * Takes effect for all readers at once. A model that is no longer listed stays known but
   * disabled, so that jobs its provider has already accepted can be followed to their end.
   */
  replace(entries: readonly CatalogueEntry[]): void
}

export function createCatalogue(first: readonly CatalogueEntry[]): ReplaceableCatalogue {
  let now = snapshotOf(first)
  let revision = 0
  return {
    get revision() {
      return revision
    },
    get models() {
      return now.models
    },
    get keyless() {
      return now.keyless
    },
    get entries() {
      return now.entries
    },
    find: (id) => {
      const entry = now.byId.get(id)
      return entry?.model.enabled ? entry : undefined
    },
    known: (id) => now.byId.get(id),
    replace(entries) {
      const listed = new Set(entries.map(({ model }) => model.id))
      const gone = [...now.byId.values()].filter(({ model }) => !listed.has(model.id))
      now = snapshotOf([...entries, ...gone.map(disabled)])
      revision++
    },
  }
}

const snapshotOf = (entries: readonly CatalogueEntry[]) => ({
  entries,
  byId: new Map(entries.map((entry) => [entry.model.id, entry])),
  models: entries.filter(({ model }) => model.enabled).map(({ model }) => model),
  keyless: entries
    .filter(({ model, isWithdrawn }) => !model.enabled && !isWithdrawn)
    .map(({ model }) => model),
})

const disabled = (entry: CatalogueEntry): CatalogueEntry => ({
  ...entry,
  model: { ...entry.model, enabled: false },
  isWithdrawn: true,
})

/** A model that can be called now with a key of this owner. */
export function usableModel(
  catalogue: Catalogue,
  id: string,
  owner: KeyOwner,
): CatalogueEntry | undefined {
  if (owner === 'server') return catalogue.find(id)
  const entry = catalogue.known(id)
  return entry?.isWithdrawn ? undefined : entry
}

/** The entry as an account pays for it: without a price of its own it has the account's stand-in. */
export function withStandIn(entry: CatalogueEntry, standIns: StandIns | undefined): CatalogueEntry {
  const { model } = entry
  const prices = model.pricing === null ? standIns?.[model.id] : undefined
  if (!prices) return entry
  return { ...entry, model: { ...model, pricing: { currency, ...prices, standIn: true } } }
}

/** An account's key is valid for one provider, so only fallbacks of that provider are usable. */
export const usableFallbacks = (
  catalogue: Catalogue,
  { fallbacks, provider }: CatalogueEntry,
  owner: KeyOwner,
): CatalogueEntry[] =>
  fallbacks.flatMap((id) => {
    const entry = usableModel(catalogue, id, owner)
    return entry && (owner === 'server' || entry.provider === provider) ? [entry] : []
  })
