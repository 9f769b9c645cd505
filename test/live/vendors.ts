// The vendors that live tests know: their keys, their adapters, and their cheapest models.
import type { Dispatcher } from 'undici'
import type { Config } from '#config'
import { createAnthropicProvider } from '#providers/anthropic/adapter.ts'
import { createFalProvider } from '#providers/fal/adapter.ts'
import { createGeminiProvider } from '#providers/gemini/adapter.ts'
import { createOpenAiProvider } from '#providers/openai/adapter.ts'
import type { ImageRequest, Provider } from '#providers/provider.ts'
import { createReplicateProvider } from '#providers/replicate/adapter.ts'

export type Vendor = {
  name: string
  keyVariable: string
  key: string
  open(dispatcher: Dispatcher): Provider
  /** By their ids in our catalogue. */
  textModel?: string
  imageModel?: string
  /** The cheapest it can be asked for. */
  image?: Partial<ImageRequest>
}

export function vendorsOf(config: Config): Vendor[] {
  const { OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, FAL_KEY, REPLICATE_API_TOKEN } = config
  const at = (name: string, apiKey: string, baseUrl: string, dispatcher: Dispatcher) => ({
    ...{ name, apiKey, baseUrl, dispatcher },
  })
  return [
    {
      name: 'openai',
      keyVariable: 'OPENAI_API_KEY',
      key: OPENAI_API_KEY,
      open: (dispatcher) =>
        createOpenAiProvider({
          ...at('openai', OPENAI_API_KEY, config.OPENAI_BASE_URL, dispatcher),
          dialect: 'openai',
        }),
      textModel: 'openai/gpt-6-luna',
      imageModel: 'openai/gpt-image-2',
      image: { quality: 'low', sampleSize: '1K' },
    },
    {
      name: 'anthropic',
      keyVariable: 'ANTHROPIC_API_KEY',
      key: ANTHROPIC_API_KEY,
      open: (dispatcher) =>
        createAnthropicProvider(
          at('anthropic', ANTHROPIC_API_KEY, config.ANTHROPIC_BASE_URL, dispatcher),
        ),
      textModel: 'anthropic/claude-haiku-5-5',
    },
    {
      name: 'gemini',
      keyVariable: 'GEMINI_API_KEY',
      key: GEMINI_API_KEY,
      open: (dispatcher) =>
        createGeminiProvider(at('gemini', GEMINI_API_KEY, config.GEMINI_BASE_URL, dispatcher)),
      textModel: 'gemini/gemini-3.5-flash-lite',
      imageModel: 'gemini/gemini-nano-banana-2.1',
    },
    {
      name: 'fal',
      keyVariable: 'FAL_KEY',
      key: FAL_KEY,
      open: (dispatcher) => createFalProvider(at('fal', FAL_KEY, config.FAL_BASE_URL, dispatcher)),
      imageModel: 'fal/flux-schnell',
    },
    {
      name: 'replicate',
      keyVariable: 'REPLICATE_API_TOKEN',
      key: REPLICATE_API_TOKEN,
      open: (dispatcher) =>
        createReplicateProvider(
          at('replicate', REPLICATE_API_TOKEN, config.REPLICATE_BASE_URL, dispatcher),
        ),
      imageModel: 'replicate/flux-schnell',
    },
  ]
}
