// The models this server offers, as callers see them, and which adapter serves each.
// Replaced as a whole when the operator's file changes; never calls a provider.
import type { SpeechFormat, TranscriptFormat } from '#core/audio.ts'
import type { UnitPrices } from '#core/pricing.ts'
import type { ReasoningEffort } from '#core/text-stream.ts'
import type { VideoSeconds } from '#core/video-seconds.ts'

/** The kinds after VIDEO serve the compatible APIs alone: no native operation or node uses them. */
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
  /** How many pictures one generation takes; one unless declared. */
  maxInputImages?: number
  maxInputTokens?: number
  maxOutputTokens?: number
  /** The least that `maxTokens` may be; 1 unless declared. */
  minOutputTokens?: number
  /** Input sizes above which the vendor charges more for the whole call. */
  contextTiers?: number[]
  temperature?: { min: number; max: number }
  topP?: { min: number; max: number }
  /** False: the vendor's API cannot be told where to stop. */
  stopSequences?: boolean
  /** How hard it can be told to reason. */
  reasoningEfforts?: ReasoningEffort[]
  /** The vendor sees to it that an answer keeps to a JSON schema. */
  structuredOutput?: boolean
  /** False: the model decides itself whether it calls a function, and which. */
  forcedToolChoice?: boolean
  imageAspectRatios?: string[]
  imageQualities?: string[]
  imageSampleSizes?: string[]
  videoAspectRatios?: string[]
  videoResolutions?: string[]
  videoSeconds?: VideoSeconds
  videoAudio?: boolean
  /** How long its vectors may be. */
  embeddingDimensions?: { min: number; max: number; default: number }
  speechFormats?: SpeechFormat[]
  /** False: it cannot be told how to speak. */
  speechInstructions?: boolean
  /** It can send speech as events, which alone say how many tokens it used. */
  speechEvents?: boolean
  transcriptFormats?: TranscriptFormat[]
}

/** In major units of the currency. A missing price is unknown, never 0. */
export type Pricing = UnitPrices & { currency: string }

export type Model = {
  id: string
  name: string
  provider: string
  kind: ModelKind
  description: string
  enabled: boolean
  capabilities: Capabilities
  pricing: Pricing | null
  demo?: true
}

export type CatalogueEntry = {
  model: Model
  /** The adapter that serves it, and the name it has there. */
  provider: string
  providerModel: string
  /** Tried in order, each only when the one before surely did not accept the call. */
  fallbacks: readonly string[]
  /**
   * The operator disabled it or no longer lists it: it is not called with a key of an account
   * either, unlike a model for which only the server's key is missing.
   */
  isWithdrawn?: boolean
}

/** Whose key a call is billed to. */
export type KeyOwner = 'server' | 'account'

/** `credential`: what a call names, if it names one. */
export const ownerOf = (credential: string | null | undefined): KeyOwner =>
  credential == null ? 'server' : 'account'

export type Catalogue = {
  /** Grows with each replacement: what was derived from the models is cached together with it. */
  readonly revision: number
  /** Enabled models, in the order they are shown. */
  readonly models: readonly Model[]
  /** Models that need a key of the account, because the server has none for their provider. */
  readonly keyless: readonly Model[]
  /** Enabled models only. */
  find(id: string): CatalogueEntry | undefined
  /** Disabled ones too: says why a model cannot be used. */
  known(id: string): CatalogueEntry | undefined
}

export type ReplaceableCatalogue = Catalogue & {
  /**
   * At once for every reader. A model that is no longer listed stays known, disabled: jobs that
   * its provider has already accepted are followed to their end.
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

/** Its fallbacks. A key of an account is good for one provider, so that it stays with that one. */
export const usableFallbacks = (
  catalogue: Catalogue,
  { fallbacks, provider }: CatalogueEntry,
  owner: KeyOwner,
): CatalogueEntry[] =>
  fallbacks.flatMap((id) => {
    const entry = usableModel(catalogue, id, owner)
    return entry && (owner === 'server' || entry.provider === provider) ? [entry] : []
  })
