// Models of the Gemini API. Its Veo previews were shut down on 2026-10-22 in favour of Omni; the
// adapter still speaks their protocol, for servers that offer Veo.

import type { Capabilities } from '#core/catalogue.ts'
import {
  type BuiltinModel,
  cited,
  commonRatios,
  flat,
  from,
  lengths,
  seesImages,
  through,
} from './builtin-model.ts'

const modelsPage = cited('https://ai.google.dev/gemini-api/docs/models', '2026-11-15')
const imagePage = cited('https://ai.google.dev/gemini-api/docs/image-generation', '2026-11-15')

const gemini: Capabilities = {
  inputModalities: seesImages,
  maxInputTokens: 1_048_576,
  maxOutputTokens: 65_536,
  documents: true,
  structuredOutput: true,
  forcedToolChoice: true,
  reasoningEfforts: ['minimal', 'low', 'medium', 'high'],
  webSearch: 'gemini',
}

/** Beyond what is free each month. Each query is billed, and an answer may have several. */
const searching = {
  capabilities: gemini,
  pricing: flat(
    { perSearch: 0.014 },
    '2026-10-07',
    'https://ai.google.dev/gemini-api/docs/pricing',
  ),
}

export const geminiModels: BuiltinModel[] = [
  {
    ...from('gemini', 'gemini-4-argon'),
    name: 'Gemini 4 Argon',
    kind: 'CODE',
    description: 'Google’s flagship, for the hardest software and knowledge work.',
    capabilities: { ...gemini, reasoningEfforts: ['low', 'medium', 'high'] },
    facts: cited(
      'https://ai.google.dev/gemini-api/docs/generate-content/latest-model',
      '2026-11-15',
    ),
    pricing: flat(
      { inputPerMillionTokens: 2, cachedInputPerMillionTokens: 0.1, outputPerMillionTokens: 10 },
      '2026-11-16',
      'https://ai.google.dev/gemini-api/docs/generate-content/latest-model',
    ),
    laterPricing: {
      fromDay: '2026-12-01',
      prices: {
        inputPerMillionTokens: 4,
        cachedInputPerMillionTokens: 0.2,
        outputPerMillionTokens: 20,
      },
    },
  },
  {
    ...from('gemini', 'gemini-3.8-flash'),
    name: 'Gemini 3.8 Flash',
    kind: 'TEXT',
    description: 'For long software tasks, agents and complex workflows.',
    ...searching,
    facts: modelsPage,
  },
  {
    ...from('gemini', 'gemini-3.5-flash-lite'),
    name: 'Gemini 3.5 Flash-Lite',
    kind: 'TEXT',
    description: 'Fast and cheap, for high-volume work.',
    ...searching,
    facts: modelsPage,
  },
  {
    ...from('gemini', 'gemini-nano-banana-2.1'),
    name: 'Nano Banana 2.1',
    kind: 'IMAGE',
    description: 'Makes and edits pictures quickly, at 1K.',
    capabilities: {
      inputModalities: seesImages,
      maxInputImages: 14,
      imageAspectRatios: [...commonRatios, '1:4', '4:1', '1:8', '8:1'],
      imageSampleSizes: ['1K'],
      mediaOptions: ['seed'],
    },
    facts: imagePage,
    pricing: flat(
      { perImage: 0.0336 },
      '2026-11-15',
      'https://github.com/BerriAI/litellm/discussions/44983',
    ),
  },
  {
    ...from('gemini', 'gemini-3-pro-image'),
    name: 'Nano Banana Pro',
    kind: 'IMAGE',
    description: 'Pictures with complex layouts and precise text, at 1K or 2K.',
    capabilities: {
      inputModalities: seesImages,
      maxInputImages: 14,
      imageAspectRatios: commonRatios,
      imageSampleSizes: ['1K', '2K'],
      mediaOptions: ['seed'],
    },
    facts: imagePage,
    pricing: flat(
      { perImage: 0.134 },
      '2026-10-07',
      'https://ai.google.dev/gemini-api/docs/pricing#gemini-3-pro-image',
    ),
  },
  {
    // Without a price, because the cost of a second depends on the resolution.
    ...from('gemini', 'gemini-omni-1.1-flash'),
    name: 'Gemini Omni 1.1 Flash',
    kind: 'VIDEO',
    description: 'Google’s video model with sound, from words or a first frame.',
    capabilities: {
      inputModalities: seesImages,
      videoAspectRatios: ['16:9', '9:16'],
      videoResolutions: ['360p', '720p', '1080p', '4k'],
      videoSeconds: lengths(through(3, 10), 8),
      videoAudio: true,
    },
    facts: cited('npm:@google/genai@2.32.0', '2026-11-15'),
  },
]
