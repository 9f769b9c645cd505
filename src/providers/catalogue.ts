// The models this server offers, as callers see them, and which adapter serves each.
// Read-only once built; never calls a provider.
import type { UnitPrices } from '#core/pricing.ts'
import type { ReasoningEffort } from '#core/text-stream.ts'

/** The kinds after VIDEO serve the compatible APIs alone: no native operation or node uses them. */
export const modelKinds = ['TEXT', 'CODE', 'IMAGE', 'VIDEO', 'EMBEDDING'] as const
export type ModelKind = (typeof modelKinds)[number]

/** A parameter is checked only where its bounds are declared. */
export type Capabilities = {
  inputModalities: ('text' | 'image' | 'video')[]
  maxInputTokens?: number
  maxOutputTokens?: number
  temperature?: { min: number; max: number }
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
  videoSeconds?: { min: number; max: number; default: number }
  videoAudio?: boolean
  /** How long its vectors may be. */
  embeddingDimensions?: { min: number; max: number; default: number }
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
}

export type Catalogue = {
  /** Enabled models, in the order they are shown. */
  readonly models: readonly Model[]
  /** Enabled models only. */
  find(id: string): CatalogueEntry | undefined
  /** Disabled ones too: says why a model cannot be used. */
  known(id: string): CatalogueEntry | undefined
}

export function createCatalogue(entries: readonly CatalogueEntry[]): Catalogue {
  const byId = new Map(entries.map((entry) => [entry.model.id, entry]))
  const models = entries.filter((entry) => entry.model.enabled).map((entry) => entry.model)
  return {
    models,
    find: (id) => {
      const entry = byId.get(id)
      return entry?.model.enabled ? entry : undefined
    },
    known: (id) => byId.get(id),
  }
}
