// The models offered out of the box when their provider's key is set, as known in November 2026.
// Facts only: what no public page confirms is left out, and is then neither checked nor priced.
// Text and token-priced models get their prices elsewhere; here stand flat prices, with source
// and day. A flat price holds for every size declared beside it: dearer sizes are not declared.
import type { Capabilities, ModelKind, Pricing } from './catalogue.ts'

type BuiltinModel = {
  /** `provider/model`, as callers write it. */
  id: string
  provider: 'openai' | 'anthropic' | 'gemini' | 'fal' | 'replicate'
  /** The name it has there. */
  providerModel: string
  name: string
  kind: ModelKind
  description: string
  capabilities: Capabilities
  pricing?: Pricing & { priceSource: string; priceDate: string }
}

const from = (
  provider: BuiltinModel['provider'],
  providerModel: string,
  shortName = providerModel,
) => ({ id: `${provider}/${shortName}`, provider, providerModel })

/** `priceDate`: the day the source states, else the day it was looked up. */
const flat = (price: Partial<Pricing>, priceDate: string, priceSource: string) => ({
  currency: 'USD',
  ...price,
  priceSource,
  priceDate,
})
/** Models that reason take no temperature but their own. */
const fixedTemperature = { min: 1, max: 1 }
const seesImages: Capabilities['inputModalities'] = ['text', 'image']

const openAiText = {
  inputModalities: seesImages,
  maxInputTokens: 922_000,
  maxOutputTokens: 128_000,
  temperature: fixedTemperature,
}
const claude = {
  inputModalities: seesImages,
  maxInputTokens: 1_000_000,
  maxOutputTokens: 128_000,
  temperature: fixedTemperature,
}
/** `any` and `tool` are answered with 400: as tested by @ai-sdk/anthropic 4.0.60, 2026-11-15. */
const decidesItself = { forcedToolChoice: false }
const gemini = {
  inputModalities: seesImages,
  maxInputTokens: 1_048_576,
  maxOutputTokens: 65_536,
}
const commonRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9']
const falSizes = ['1:1', '4:3', '3:4', '16:9', '9:16']
const seedanceRatios = ['21:9', '16:9', '4:3', '1:1', '3:4', '9:16']

const openAiModels: BuiltinModel[] = [
  {
    ...from('openai', 'gpt-6-luna'),
    name: 'GPT-6 Luna',
    kind: 'TEXT',
    description: 'Efficient model for focused, high-volume tasks.',
    capabilities: openAiText,
  },
  {
    ...from('openai', 'gpt-6-sol'),
    name: 'GPT-6 Sol',
    kind: 'CODE',
    description: 'For complex coding and agentic workflows.',
    capabilities: openAiText,
  },
  {
    ...from('openai', 'gpt-6-astra'),
    name: 'GPT-6 Astra',
    kind: 'TEXT',
    description: 'The most capable of the family, for the hardest work.',
    capabilities: openAiText,
  },
  {
    // Priced by token: what a picture costs depends on its size and quality.
    ...from('openai', 'gpt-image-2'),
    name: 'GPT Image 2',
    kind: 'IMAGE',
    description: 'Makes and edits pictures, up to 4K, with legible text.',
    capabilities: {
      inputModalities: seesImages,
      imageAspectRatios: commonRatios,
      imageQualities: ['low', 'medium', 'high', 'auto'],
      imageSampleSizes: ['1K', '2K', '4K'],
    },
  },
]

const anthropicModels: BuiltinModel[] = [
  {
    ...from('anthropic', 'claude-haiku-5-5'),
    name: 'Claude Haiku 5.5',
    kind: 'TEXT',
    description: 'For high-volume, latency-sensitive tasks such as classification and extraction.',
    // It takes more, at five times the price.
    capabilities: { ...claude, maxInputTokens: 100_000 },
    pricing: flat(
      { inputPerMillionTokens: 0.1, outputPerMillionTokens: 0.5 },
      '2026-10-07',
      'https://platform.claude.com/docs/en/models/haiku-5-5/overview',
    ),
  },
  {
    ...from('anthropic', 'claude-sonnet-5-5'),
    name: 'Claude Sonnet 5.5',
    kind: 'TEXT',
    description: 'Balances speed and intelligence for everyday work.',
    capabilities: { ...claude, ...decidesItself },
  },
  {
    ...from('anthropic', 'claude-opus-5-5'),
    name: 'Claude Opus 5.5',
    kind: 'CODE',
    description: 'For long-running agentic coding and knowledge work.',
    capabilities: { ...claude, ...decidesItself },
  },
  {
    ...from('anthropic', 'claude-fable-5-1'),
    name: 'Claude Fable 5.1',
    kind: 'TEXT',
    description: 'The most capable of the family, for demanding reasoning.',
    capabilities: { ...claude, ...decidesItself },
  },
]

const geminiModels: BuiltinModel[] = [
  {
    ...from('gemini', 'gemini-3.8-flash'),
    name: 'Gemini 3.8 Flash',
    kind: 'TEXT',
    description: 'For long software tasks, agents and complex workflows.',
    capabilities: gemini,
  },
  {
    ...from('gemini', 'gemini-3.5-flash-lite'),
    name: 'Gemini 3.5 Flash-Lite',
    kind: 'TEXT',
    description: 'Fast and cheap, for high-volume work.',
    capabilities: gemini,
  },
  {
    ...from('gemini', 'gemini-nano-banana-2.1'),
    name: 'Nano Banana 2.1',
    kind: 'IMAGE',
    description: 'Makes and edits pictures quickly, at 1K.',
    capabilities: {
      inputModalities: seesImages,
      imageAspectRatios: [...commonRatios, '1:4', '4:1', '1:8', '8:1'],
      imageSampleSizes: ['1K'],
    },
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
      imageAspectRatios: commonRatios,
      imageSampleSizes: ['1K', '2K'],
    },
    pricing: flat(
      { perImage: 0.134 },
      '2026-10-07',
      'https://ai.google.dev/gemini-api/docs/pricing#gemini-3-pro-image',
    ),
  },
]

const falModels: BuiltinModel[] = [
  {
    ...from('fal', 'fal-ai/flux/schnell', 'flux-schnell'),
    name: 'FLUX.1 [schnell]',
    kind: 'IMAGE',
    description: 'Open-weight pictures in a few steps.',
    capabilities: { inputModalities: ['text'], imageAspectRatios: falSizes },
    pricing: flat({ perImage: 0.003 }, '2026-05-25', 'https://fal.ai/models/fal-ai/flux/schnell'),
  },
  {
    ...from('fal', 'fal-ai/nano-banana-2', 'nano-banana-2'),
    name: 'Nano Banana 2',
    kind: 'IMAGE',
    description: 'Google’s picture model, also for editing, at 1K.',
    capabilities: {
      inputModalities: seesImages,
      imageAspectRatios: [...commonRatios, '1:4', '4:1', '1:8', '8:1'],
      imageSampleSizes: ['1K'],
    },
    pricing: flat(
      { perImage: 0.08 },
      '2026-11-15',
      'https://fal.ai/models/fal-ai/nano-banana-2/edit/llms.txt',
    ),
  },
  {
    ...from('fal', 'bytedance/seedance-2.0/mini/text-to-video', 'seedance-2.0-mini'),
    name: 'Seedance 2.0 Mini',
    kind: 'VIDEO',
    description: 'Fast video with sound, at 720p.',
    capabilities: {
      inputModalities: ['text'],
      videoAspectRatios: seedanceRatios,
      videoResolutions: ['720p'],
      videoSeconds: { min: 4, max: 15, default: 5 },
      videoAudio: true,
    },
    pricing: flat(
      { perSecond: 0.1547 },
      '2026-11-15',
      'https://fal.ai/models/bytedance/seedance-2.0/mini/text-to-video/llms.txt',
    ),
  },
  {
    ...from('fal', 'fal-ai/kling-video/v3/4k/text-to-video', 'kling-3-4k'),
    name: 'Kling 3.0 4K',
    kind: 'VIDEO',
    description: 'Video in native 4K, with or without sound.',
    capabilities: {
      inputModalities: seesImages,
      videoAspectRatios: ['16:9', '9:16', '1:1'],
      videoSeconds: { min: 3, max: 15, default: 5 },
      videoAudio: true,
    },
    pricing: flat(
      { perSecond: 0.42 },
      '2026-11-15',
      'https://fal.ai/models/fal-ai/kling-video/v3/4k/text-to-video/llms.txt',
    ),
  },
  {
    // Its price depends on the sound.
    ...from('fal', 'fal-ai/veo3.1/fast', 'veo-3.1-fast'),
    name: 'Veo 3.1 Fast',
    kind: 'VIDEO',
    description: 'Google’s video model with sound, from words or a first frame.',
    capabilities: {
      inputModalities: seesImages,
      videoAspectRatios: ['16:9', '9:16'],
      videoResolutions: ['720p', '1080p'],
      videoSeconds: { min: 4, max: 8, default: 8 },
      videoAudio: true,
    },
  },
]

const replicateModels: BuiltinModel[] = [
  {
    ...from('replicate', 'black-forest-labs/flux-schnell', 'flux-schnell'),
    name: 'FLUX.1 [schnell]',
    kind: 'IMAGE',
    description: 'Open-weight pictures in a few steps.',
    capabilities: { inputModalities: ['text'], imageAspectRatios: [...commonRatios, '9:21'] },
    pricing: flat({ perImage: 0.003 }, '2026-05-25', 'https://replicate.com/pricing'),
  },
  {
    ...from('replicate', 'black-forest-labs/flux-2-pro', 'flux-2-pro'),
    name: 'FLUX.2 [pro]',
    kind: 'IMAGE',
    description: 'High-quality pictures, also from reference pictures.',
    capabilities: { inputModalities: seesImages },
  },
  {
    ...from('replicate', 'bytedance/seedance-2.0-fast', 'seedance-2.0-fast'),
    name: 'Seedance 2.0 Fast',
    kind: 'VIDEO',
    description: 'Video with sound, from words or a first frame.',
    capabilities: {
      inputModalities: seesImages,
      videoAspectRatios: seedanceRatios,
      videoResolutions: ['480p', '720p'],
      videoSeconds: { min: 4, max: 15, default: 5 },
      videoAudio: true,
    },
  },
]

export const builtinModels: BuiltinModel[] = [
  ...openAiModels,
  ...anthropicModels,
  ...geminiModels,
  ...falModels,
  ...replicateModels,
]
