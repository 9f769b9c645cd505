// The models offered out of the box when their provider's key is set, as known in November 2026.
// Facts only: what no public page confirms is left out, and is then neither checked nor priced.
// Text and token-priced models get their prices elsewhere; here stand flat prices, with source
// and day. A flat price holds for every size declared beside it: dearer sizes are not declared.
import { embeddingModels } from './builtin-embedding-models.ts'
import { falModels, replicateModels } from './builtin-media-models.ts'
import { type BuiltinModel, commonRatios, flat, from, seesImages } from './builtin-model.ts'
import type { Capabilities } from './catalogue.ts'

/** Models that reason take no temperature but their own. */
const fixedTemperature = { min: 1, max: 1 }
const openAiText: Capabilities = {
  inputModalities: seesImages,
  maxInputTokens: 922_000,
  maxOutputTokens: 128_000,
  temperature: fixedTemperature,
  structuredOutput: true,
  reasoningEfforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
}
/** gpt-6-astra and the 6.1 models take no `none`: a reseller's round-trip test, 2026-10-14. */
const alwaysReasons: Capabilities = {
  ...openAiText,
  reasoningEfforts: ['low', 'medium', 'high', 'xhigh', 'max'],
}
const claude: Capabilities = {
  inputModalities: seesImages,
  maxInputTokens: 1_000_000,
  maxOutputTokens: 128_000,
  temperature: fixedTemperature,
  structuredOutput: true,
  reasoningEfforts: ['low', 'medium', 'high', 'xhigh', 'max'],
}
/** `any` and `tool` are answered with 400: as tested by @ai-sdk/anthropic 4.0.60, 2026-11-15. */
const decidesItself = { forcedToolChoice: false }
const gemini: Capabilities = {
  inputModalities: seesImages,
  maxInputTokens: 1_048_576,
  maxOutputTokens: 65_536,
  structuredOutput: true,
  reasoningEfforts: ['minimal', 'low', 'medium', 'high'],
}
/** Sizes and qualities as openai 7.53 documents them, 2026-11-06. */
const newerPictures: Capabilities = {
  inputModalities: seesImages,
  imageAspectRatios: commonRatios,
  imageQualities: ['low', 'medium', 'high', 'xhigh', 'max', 'auto'],
  imageSampleSizes: ['1K', '2K', '4K'],
}

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
    capabilities: alwaysReasons,
  },
  {
    ...from('openai', 'gpt-6.1-sol'),
    name: 'GPT-6.1 Sol',
    kind: 'CODE',
    description: 'The newest of the family for coding and agents.',
    capabilities: alwaysReasons,
  },
  {
    ...from('openai', 'gpt-6.1-terra'),
    name: 'GPT-6.1 Terra',
    kind: 'TEXT',
    description: 'The newest of the family for everyday work.',
    capabilities: alwaysReasons,
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
  {
    ...from('openai', 'gpt-image-2.5-flare'),
    name: 'GPT Image 2.5 Flare',
    kind: 'IMAGE',
    description: 'Makes and edits pictures quickly.',
    capabilities: newerPictures,
  },
  {
    ...from('openai', 'gpt-image-2.5-sunburst'),
    name: 'GPT Image 2.5 Sunburst',
    kind: 'IMAGE',
    description: 'Makes and edits pictures with the most care.',
    capabilities: newerPictures,
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

export const builtinModels: BuiltinModel[] = [
  ...openAiModels,
  ...anthropicModels,
  ...geminiModels,
  ...embeddingModels,
  ...falModels,
  ...replicateModels,
]
