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
  /** The server's own key, the first one if it has several; empty if it has none. */
  apiKey: string
  /** If the setting has several keys: each with its name. */
  keys: readonly NamedKey[]
  open(key: string, baseUrl?: string): Promise<Provider>
}

export type NamedKey = { name: string; key: string }

export const keyedProviders = (settings: KeyedSettings): KeyedProvider[] =>
  Object.entries(keyed).map(([name, { keyVariable, urlVariable, open }]) => {
    const baseUrl = settings[urlVariable]
    const openWith = (apiKey: string, address = baseUrl) => open({ name, apiKey, baseUrl: address })
    const keys = keysIn(settings[keyVariable])
    const apiKey = keys[0]?.key ?? settings[keyVariable]
    return { name, baseUrl, keyVariable, apiKey, keys, open: openWith }
  })

/** `eu=KEY,us=KEY`, or without names. Empty if there is one key: no key contains a comma. */
function keysIn(setting: string): NamedKey[] {
  const parts = setting.split(',').map((part) => part.trim())
  if (parts.length === 1) return []
  const keys = parts
    .filter((part) => part !== '')
    .map((part, index) => {
      const [, name = `key-${index + 1}`, key = part] =
        /^([a-z0-9][a-z0-9-]{0,39})=(.+)$/.exec(part) ?? []
      return { name, key }
    })
  const names = new Set(keys.map(({ name }) => name))
  if (names.size < keys.length) throw new Error('two keys of a provider have the same name')
  return keys
}
