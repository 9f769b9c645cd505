import type { Lifecycle } from '#core/lifecycle.ts'
import type { UnitPrices } from '#core/pricing.ts'
import type { VideoSeconds } from '#core/video-seconds.ts'

export type ModelKind = 'TEXT' | 'CODE' | 'IMAGE' | 'VIDEO'

/** What nodes need to know about a model. Only declared limits are checked. */
export type ModelFacts = {
  id: string
  provider: string
  /** No node uses models of the other kinds. */
  kind: ModelKind | 'EMBEDDING' | 'SPEECH' | 'TRANSCRIPTION'
  availability: 'available' | 'disabled' | 'not-configured'
  capabilities: {
    maxOutputTokens?: number
    minOutputTokens?: number
    temperature?: { min: number; max: number }
    mask?: boolean
    imageAspectRatios?: string[]
    imageQualities?: string[]
    imageSampleSizes?: string[]
    videoAspectRatios?: string[]
    videoResolutions?: string[]
    videoSeconds?: VideoSeconds
    videoAudio?: boolean
  }
  pricing: UnitPrices | null
  lifecycle?: Lifecycle | undefined
  /** Models that may answer in its place. */
  fallbacks?: readonly Candidate[]
  /** Of a route: those that may answer, the likeliest first. Its own price is the dearest of theirs. */
  candidates?: readonly Candidate[]
}

export type Candidate = Pick<ModelFacts, 'id' | 'pricing' | 'capabilities'>

/** Finds any known model, including those that are currently unavailable. */
export type ModelLookup = (id: string) => ModelFacts | undefined
