// The demo models as catalogue entries. They declare what the provider really does and nothing
// else: parameters outside these lists are refused. Every price is zero, every entry is a demo.
import type { Model } from '#core/catalogue.ts'
import { embeddingDimensions, maxEmbeddedTokens } from './embeddings.ts'
import { maxInputTokens, maxOutputTokens } from './text/tokens.ts'

export const aspectRatios = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3'] as const
export const imageQualities = ['standard', 'high'] as const
export const imageSampleSizes = ['512', '1K', '2K'] as const
export const videoResolutions = ['360p', '480p', '720p'] as const
export const videoSeconds = { min: 1, max: 10, default: 3 }

const text: Pick<Model, 'capabilities' | 'pricing'> = {
  capabilities: {
    inputModalities: ['text', 'image'],
    maxInputTokens,
    maxOutputTokens,
    temperature: { min: 0, max: 2 },
  },
  pricing: { currency: 'USD', inputPerMillionTokens: 0, outputPerMillionTokens: 0 },
}

const models: readonly Omit<Model, 'enabled' | 'provider'>[] = [
  {
    id: 'demo-text',
    name: 'Demo text',
    kind: 'TEXT',
    description:
      'Rules, not a language model: calculates, summarises, answers from the text it is given, fills JSON and calls functions. The same input always gives the same answer.',
    ...text,
  },
  {
    id: 'demo-code',
    name: 'Demo code',
    kind: 'CODE',
    description:
      'Rules, not a language model: gives the skeleton of a function in TypeScript, JavaScript, Python or SQL.',
    ...text,
  },
  {
    id: 'demo-image',
    name: 'Demo image',
    kind: 'IMAGE',
    description:
      'Draws a scene of what the prompt names, with the prompt as its caption, or a poster of its words; frames a picture that is sent along, or redraws the part of it that a mask leaves open. PNG.',
    capabilities: {
      inputModalities: ['text', 'image'],
      mask: true,
      imageAspectRatios: [...aspectRatios],
      imageQualities: [...imageQualities],
      imageSampleSizes: [...imageSampleSizes],
    },
    pricing: { currency: 'USD', perImage: 0 },
  },
  {
    id: 'demo-video',
    name: 'Demo video',
    kind: 'VIDEO',
    description:
      'The scenes of the demo image, moving; starts from a picture that is sent along. MP4, H.264, 24 frames a second, no sound.',
    capabilities: {
      inputModalities: ['text', 'image'],
      videoAspectRatios: [...aspectRatios],
      videoResolutions: [...videoResolutions],
      videoSeconds,
      videoAudio: false,
    },
    pricing: { currency: 'USD', perSecond: 0 },
  },
  {
    id: 'demo-embedding',
    name: 'Demo embedding',
    kind: 'EMBEDDING',
    description:
      'Vectors of hashed words and letters, not learned ones: texts that share words or forms of a word are close together, synonyms are not. Good enough for tests and keyword search.',
    capabilities: {
      inputModalities: ['text'],
      maxInputTokens: maxEmbeddedTokens.input,
      embeddingDimensions,
    },
    pricing: { currency: 'USD', inputPerMillionTokens: 0 },
  },
]

/** The operator decides whether a model is enabled. */
export const demoModels: readonly Omit<Model, 'enabled'>[] = models.map((model) => ({
  ...model,
  provider: 'embedded',
  demo: true,
}))
