import { readFileSync } from 'node:fs'
import type { Config } from '#config'
import { buildEntries } from '#providers/build-catalogue.ts'
import { builtinModels } from '#providers/builtin-models.ts'
import { type Catalogue, createCatalogue } from '#providers/catalogue.ts'
import { createEmbeddedProvider } from '#providers/embedded/adapter.ts'
import { embeddedModels } from '#providers/embedded/models.ts'
import { parseEmbeddedOptions } from '#providers/embedded/options.ts'
import { type ModelsFile, parseModelsFile } from '#providers/models-file.ts'
import type { Provider } from '#providers/provider.ts'

export type ProviderSet = {
  catalogue: Catalogue
  providers: ReadonlyMap<string, Provider>
  /** Origins the operator configured; they are exempt from the outbound policy. */
  origins: ReadonlySet<string>
  close(): Promise<void>
}

/**
 * Opens the embedded provider, each provider whose key is set, and the endpoints of the file.
 * Each adapter is loaded only where it is used.
 */
export async function openProviders(
  config: Config,
  env: Record<string, string | undefined>,
): Promise<ProviderSet> {
  const aboutFile = naming(`MODELS_FILE ${config.MODELS_FILE}`)
  const file = await aboutFile(() => readModelsFile(config.MODELS_FILE))
  const providers = new Map<string, Provider>()
  const origins = new Set<string>()
  const add = (provider: Provider, baseUrl?: string) => {
    providers.set(provider.name, provider)
    if (baseUrl) origins.add(new URL(baseUrl).origin)
  }
  const embedded = await naming('EMBEDDED_OPTIONS:')(async () =>
    parseEmbeddedOptions(config.EMBEDDED_OPTIONS),
  )
  add(createEmbeddedProvider(embedded))
  await addKeyed(config, add)
  for (const endpoint of file.endpoints ?? []) {
    await aboutFile(async () => {
      if (providers.has(endpoint.name)) throw new Error(`has the name "${endpoint.name}" twice`)
      add(await openEndpoint(endpoint, env), endpoint.baseUrl)
    })
  }
  const tokenPrices = providers.size > 1 || file.models ? await loadPrices() : () => null
  const entries = await aboutFile(async () =>
    buildEntries({
      tokenPrices,
      known: [
        ...embeddedModels.map((model) => ({ ...model, providerModel: model.id })),
        ...builtinModels,
      ],
      fromFile: file.models ?? [],
      configuredProviders: new Set(providers.keys()),
    }),
  )
  return {
    catalogue: createCatalogue(entries),
    providers,
    origins,
    close: async () => {
      await Promise.all([...providers.values()].map((provider) => provider.close?.()))
    },
  }
}

async function addKeyed(config: Config, add: (provider: Provider, baseUrl: string) => void) {
  if (config.OPENAI_API_KEY) {
    const { createOpenAiProvider } = await import('#providers/openai/adapter.ts')
    const baseUrl = config.OPENAI_BASE_URL
    add(
      createOpenAiProvider({
        name: 'openai',
        apiKey: config.OPENAI_API_KEY,
        baseUrl,
        dialect: 'openai',
      }),
      baseUrl,
    )
  }
  if (config.ANTHROPIC_API_KEY) {
    const { createAnthropicProvider } = await import('#providers/anthropic/adapter.ts')
    const baseUrl = config.ANTHROPIC_BASE_URL
    add(
      createAnthropicProvider({ name: 'anthropic', apiKey: config.ANTHROPIC_API_KEY, baseUrl }),
      baseUrl,
    )
  }
  if (config.GEMINI_API_KEY) {
    const { createGeminiProvider } = await import('#providers/gemini/adapter.ts')
    const baseUrl = config.GEMINI_BASE_URL
    add(createGeminiProvider({ name: 'gemini', apiKey: config.GEMINI_API_KEY, baseUrl }), baseUrl)
  }
  if (config.FAL_KEY) {
    const { createFalProvider } = await import('#providers/fal/adapter.ts')
    const baseUrl = config.FAL_BASE_URL
    add(createFalProvider({ name: 'fal', apiKey: config.FAL_KEY, baseUrl }), baseUrl)
  }
  if (config.REPLICATE_API_TOKEN) {
    const { createReplicateProvider } = await import('#providers/replicate/adapter.ts')
    const baseUrl = config.REPLICATE_BASE_URL
    add(
      createReplicateProvider({ name: 'replicate', apiKey: config.REPLICATE_API_TOKEN, baseUrl }),
      baseUrl,
    )
  }
}

type FileEndpoint = NonNullable<ModelsFile['endpoints']>[number]

async function openEndpoint(
  endpoint: FileEndpoint,
  env: Record<string, string | undefined>,
): Promise<Provider> {
  const { name, baseUrl, apiKey, apiKeyVariable } = endpoint
  if (!URL.canParse(baseUrl)) throw new Error(`has no address in baseUrl of endpoint "${name}"`)
  const key = apiKey ?? (apiKeyVariable ? env[apiKeyVariable] : undefined)
  if (apiKeyVariable && !key)
    throw new Error(`names ${apiKeyVariable}, which is not set (endpoint "${name}")`)
  const { createOpenAiProvider } = await import('#providers/openai/adapter.ts')
  return createOpenAiProvider({
    name,
    apiKey: key ?? '',
    baseUrl: baseUrl.replace(/\/+$/, ''),
    dialect: 'compatible',
  })
}

/** Prefixes an error at startup with the setting that has to be fixed. */
const naming =
  (what: string) =>
  async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      return await read()
    } catch (cause) {
      throw new Error(`${what} ${(cause as Error).message}`, { cause })
    }
  }

const readModelsFile = async (path: string): Promise<ModelsFile> =>
  path === '' ? {} : parseModelsFile(readFileSync(path, 'utf8'))

const loadPrices = async () => (await import('#providers/token-prices.ts')).tokenPrices
