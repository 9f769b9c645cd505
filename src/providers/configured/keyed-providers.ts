// The providers that need a key, and how each is opened with the server's or an account's key. Each
// adapter is loaded only if it is used.
import type { Provider } from '../provider.ts'

type Options = { name: string; apiKey: string; baseUrl: string }

const keyed = {
  openai: {
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
    async open(options) {
      const { createOpenAiProvider } = await import('../openai/adapter.ts')
      return createOpenAiProvider({ ...options, dialect: 'openai' })
    },
  },
  anthropic: {
    keyVariable: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
    open: async (options) =>
      (await import('../anthropic/adapter.ts')).createAnthropicProvider(options),
  },
  gemini: {
    keyVariable: 'GEMINI_API_KEY',
    urlVariable: 'GEMINI_BASE_URL',
    open: async (options) => (await import('../gemini/adapter.ts')).createGeminiProvider(options),
  },
  fal: {
    keyVariable: 'FAL_KEY',
    urlVariable: 'FAL_BASE_URL',
    open: async (options) => (await import('../fal/adapter.ts')).createFalProvider(options),
  },
  replicate: {
    keyVariable: 'REPLICATE_API_TOKEN',
    urlVariable: 'REPLICATE_BASE_URL',
    open: async (options) =>
      (await import('../replicate/adapter.ts')).createReplicateProvider(options),
  },
} as const satisfies Record<
  string,
  {
    keyVariable: string
    urlVariable: string
    open(options: Options): Promise<Provider>
  }
>

/** The settings that hold the keys and addresses of these providers. */
export type KeyedSettings = Readonly<
  Record<(typeof keyed)[keyof typeof keyed]['keyVariable' | 'urlVariable'], string>
>

export type KeyedProvider = {
  name: string
  baseUrl: string
  /** The setting that holds the server's own key. */
  keyVariable: string
  /** The server's own key; empty if it has none. */
  apiKey: string
  open(key: string): Promise<Provider>
}

export const keyedProviders = (settings: KeyedSettings): KeyedProvider[] =>
  Object.entries(keyed).map(([name, { keyVariable, urlVariable, open }]) => {
    const baseUrl = settings[urlVariable]
    const openWith = (apiKey: string) => open({ name, apiKey, baseUrl })
    return { name, baseUrl, keyVariable, apiKey: settings[keyVariable], open: openWith }
  })
