// The models offered out of the box when their provider's key is set, as of November 2026. Only
// facts that a public page confirms are declared; anything else is neither checked nor priced. Most
// token prices come from token-prices.ts; prices given here have a source and a date. A flat price
// holds for every size declared with it, so sizes that cost more are not declared.

import type { Capabilities } from '#core/catalogue.ts'
import type { MediaOption } from '#core/media-options.ts'
import { audioModels } from './builtin-audio-models.ts'
import { embeddingModels } from './builtin-embedding-models.ts'
import { geminiModels } from './builtin-gemini-models.ts'
import { falModels, replicateModels } from './builtin-media-models.ts'
import {
  type BuiltinModel,
  cited,
  claudePrices,
  claudeRates,
  commonRatios,
  flat,
  from,
  openAiPrices,
  seesImages,
} from './builtin-model.ts'

/** Reasoning models accept no temperature other than their default. */
const fixedTemperature = { min: 1, max: 1 }
/** Ids and efforts are from the SDK; sizes and tiers are from the vendor's model pages. */
const openAiSdk = cited('npm:openai@7.53.0', '2026-11-06')
const openAiText: Capabilities = {
  inputModalities: seesImages,
  maxInputTokens: 922_000,
  maxOutputTokens: 128_000,
  // The Responses API refuses fewer with 400 (integer_below_min_value), as seen in 2025 and 2026.
  minOutputTokens: 16,
  contextTiers: [272_000],
  temperature: fixedTemperature,
  topP: fixedTemperature,
  // The Responses API has no parameter for it.
  stopSequences: false,
  documents: true,
  webSearch: 'openai',
  structuredOutput: true,
  forcedToolChoice: true,
  reasoningEfforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
}
/** gpt-6-astra and the 6.1 models refuse `none`: a reseller's round-trip test, 2026-10-14. */
const alwaysReasons: Capabilities = {
  ...openAiText,
  reasoningEfforts: ['low', 'medium', 'high', 'xhigh', 'max'],
}
const alwaysReasonsTest = cited('https://github.com/jhd3197/Prompture/releases', '2026-10-14')
const claudeSdk = cited('npm:@anthropic-ai/sdk@1.6.0', '2026-11-09')
const claude: Capabilities = {
  inputModalities: seesImages,
  maxInputTokens: 1_000_000,
  maxOutputTokens: 128_000,
  temperature: fixedTemperature,
  topP: fixedTemperature,
  forcedToolChoice: true,
  documents: true,
  webSearch: 'anthropic',
  structuredOutput: true,
  reasoningEfforts: ['low', 'medium', 'high', 'xhigh', 'max'],
}
/** `any` and `tool` are refused with 400, as tested by @ai-sdk/anthropic 4.0.60, 2026-11-15. */
const noForcedToolChoice = { forcedToolChoice: false }
/** Sizes and qualities as the SDK documents them: any multiple of 16, 1:3 to 3:1, up to 4K. */
const pictureOptions: MediaOption[] = [
  'background',
  'output_format',
  'output_compression',
  'moderation',
]

const newerPictures: Capabilities = {
  inputModalities: seesImages,
  maxInputImages: 16,
  mask: true,
  imageAspectRatios: commonRatios,
  imageQualities: ['low', 'medium', 'high', 'xhigh', 'max', 'auto'],
  imageSampleSizes: ['1K', '2K', '4K'],
  mediaOptions: pictureOptions,
}

/** The same for every GPT Image model since the second; the output is a picture only. */
const picturePrices = {
  inputPerMillionTokens: 5,
  cachedInputPerMillionTokens: 1.25,
  inputImagePerMillionTokens: 8,
  cachedImagePerMillionTokens: 2,
  outputPerMillionTokens: 30,
}

const openAiModels: BuiltinModel[] = [
  {
    ...from('openai', 'gpt-6-luna'),
    name: 'GPT-6 Luna',
    kind: 'TEXT',
    description: 'Efficient model for focused, high-volume tasks.',
    capabilities: openAiText,
    facts: openAiSdk,
  },
  {
    ...from('openai', 'gpt-6-sol'),
    name: 'GPT-6 Sol',
    kind: 'CODE',
    description: 'For complex coding and agentic workflows.',
    capabilities: openAiText,
    facts: openAiSdk,
  },
  {
    ...from('openai', 'gpt-6-astra'),
    name: 'GPT-6 Astra',
    kind: 'TEXT',
    description: 'The most capable of the family, for the hardest work.',
    capabilities: alwaysReasons,
    facts: alwaysReasonsTest,
  },
  {
    ...from('openai', 'gpt-6.1-sol'),
    name: 'GPT-6.1 Sol',
    kind: 'CODE',
    description: 'The newest of the family for coding and agents.',
    capabilities: alwaysReasons,
    facts: alwaysReasonsTest,
    pricing: flat(
      openAiPrices({ input: 2, cached: 0.1, output: 10 }),
      '2026-10-01',
      'https://developers.openai.com/api/docs/models/gpt-6.1-sol',
    ),
  },
  {
    ...from('openai', 'gpt-6.1-terra'),
    name: 'GPT-6.1 Terra',
    kind: 'TEXT',
    description: 'The newest of the family for everyday work.',
    capabilities: alwaysReasons,
    facts: alwaysReasonsTest,
    pricing: flat(
      openAiPrices({ input: 1, cached: 0.05, output: 5 }),
      '2026-10-27',
      'https://developers.openai.com/api/docs/models/gpt-6.1-terra',
    ),
  },
  {
    // Priced by token: what a picture costs depends on its size and quality.
    ...from('openai', 'gpt-image-2'),
    name: 'GPT Image 2',
    kind: 'IMAGE',
    description: 'Makes and edits pictures, up to 4K, with legible text.',
    capabilities: {
      inputModalities: seesImages,
      maxInputImages: 16,
      mask: true,
      imageAspectRatios: commonRatios,
      imageQualities: ['low', 'medium', 'high', 'auto'],
      imageSampleSizes: ['1K', '2K', '4K'],
      mediaOptions: pictureOptions,
    },
    facts: openAiSdk,
  },
  {
    ...from('openai', 'gpt-image-2.5-flare'),
    name: 'GPT Image 2.5 Flare',
    kind: 'IMAGE',
    description: 'Makes and edits pictures quickly.',
    capabilities: newerPictures,
    facts: openAiSdk,
    pricing: flat(
      picturePrices,
      '2026-09-09',
      'https://developers.openai.com/api/docs/models/gpt-image-2.5-flare',
      '2026-11-05',
    ),
  },
  {
    ...from('openai', 'gpt-image-2.5-sunburst'),
    name: 'GPT Image 2.5 Sunburst',
    kind: 'IMAGE',
    description: 'Makes and edits pictures with the most care.',
    capabilities: newerPictures,
    facts: openAiSdk,
    pricing: flat(
      picturePrices,
      '2026-09-09',
      'https://developers.openai.com/api/docs/models/gpt-image-2.5-sunburst',
      '2026-11-05',
    ),
  },
  {
    ...from('openai', 'gpt-image-2.6-flare'),
    name: 'GPT Image 2.6 Flare',
    kind: 'IMAGE',
    description: 'The newest for quick pictures and edits.',
    capabilities: newerPictures,
    facts: openAiSdk,
    pricing: flat(
      picturePrices,
      '2026-11-05',
      'https://developers.openai.com/api/docs/models/gpt-image-2.6-flare',
    ),
  },
  {
    ...from('openai', 'gpt-image-2.6-sunburst'),
    name: 'GPT Image 2.6 Sunburst',
    kind: 'IMAGE',
    description: 'The newest for fine detail and consistent edits.',
    capabilities: newerPictures,
    facts: openAiSdk,
    pricing: flat(
      picturePrices,
      '2026-11-05',
      'https://developers.openai.com/api/docs/models/gpt-image-2.6-sunburst',
    ),
  },
]

const anthropicModels: BuiltinModel[] = [
  {
    ...from('anthropic', 'claude-haiku-5-5'),
    name: 'Claude Haiku 5.5',
    kind: 'TEXT',
    description: 'For high-volume, latency-sensitive tasks such as classification and extraction.',
    capabilities: { ...claude, contextTiers: [100_000] },
    facts: cited('https://platform.claude.com/docs/en/models/haiku-5-5/overview', '2026-10-07'),
    pricing: flat(
      {
        ...claudePrices({ input: 0.1, cached: 0.01, output: 0.5 }),
        longContext: [
          { aboveInputTokens: 100_000, ...claudeRates({ input: 0.5, cached: 0.05, output: 2.5 }) },
        ],
      },
      '2026-10-07',
      'https://platform.claude.com/docs/en/models/haiku-5-5/overview',
    ),
  },
  {
    ...from('anthropic', 'claude-sonnet-5-5'),
    name: 'Claude Sonnet 5.5',
    kind: 'TEXT',
    description: 'Balances speed and intelligence for everyday work.',
    capabilities: { ...claude, ...noForcedToolChoice },
    facts: claudeSdk,
    // The cached rate fell from 0.20 on the day of this price.
    pricing: flat(
      claudePrices({ input: 2, cached: 0.1, output: 10 }),
      '2026-10-07',
      'https://platform.claude.com/docs/en/about-claude/pricing',
    ),
  },
  {
    ...from('anthropic', 'claude-opus-5-5'),
    name: 'Claude Opus 5.5',
    kind: 'CODE',
    description: 'For long-running agentic coding and knowledge work.',
    capabilities: { ...claude, ...noForcedToolChoice },
    facts: claudeSdk,
  },
  {
    ...from('anthropic', 'claude-fable-5-1'),
    name: 'Claude Fable 5.1',
    kind: 'TEXT',
    description: 'For demanding reasoning and long agentic work.',
    capabilities: { ...claude, ...noForcedToolChoice },
    facts: claudeSdk,
  },
  {
    // Newer than the SDK; its limits are those of 5.1 until the vendor says otherwise.
    ...from('anthropic', 'claude-fable-5-2'),
    name: 'Claude Fable 5.2',
    kind: 'TEXT',
    description: 'The most capable of the family, for the hardest reasoning.',
    capabilities: { ...claude, ...noForcedToolChoice },
    facts: claudeSdk,
    pricing: flat(
      claudePrices({ input: 8, cached: 0.2, output: 40 }),
      '2026-11-10',
      'https://platform.claude.com/docs/en/about-claude/pricing',
    ),
  },
]

export const builtinModels: BuiltinModel[] = [
  ...openAiModels,
  ...anthropicModels,
  ...geminiModels,
  ...embeddingModels,
  ...audioModels,
  ...falModels,
  ...replicateModels,
]
