import { readFileSync } from 'node:fs'
import type { Config } from '#config'
import { createAnthropicProvider } from '#providers/anthropic/adapter.ts'
import { buildEntries } from '#providers/build-catalogue.ts'
import { builtinModels } from '#providers/builtin-models.ts'
import { type Catalogue, createCatalogue } from '#providers/catalogue.ts'
import { createEmbeddedProvider } from '#providers/embedded/adapter.ts'
import { embeddedModels } from '#providers/embedded/models.ts'
import { parseEmbeddedOptions } from '#providers/embedded/options.ts'
import { createFalProvider } from '#providers/fal/adapter.ts'
import { createGeminiProvider } from '#providers/gemini/adapter.ts'
import { type ModelsFile, parseModelsFile } from '#providers/models-file.ts'
import { createOpenAiProvider } from '#providers/openai/adapter.ts'
import type { Provider } from '#providers/provider.ts'
import { createReplicateProvider } from '#providers/replicate/adapter.ts'

export type ProviderSet = {
  catalogue: Catalogue
  providers: ReadonlyMap<string, Provider>
  /** Origins the operator configured; they are exempt from the outbound policy. */
  origins: ReadonlySet<string>
  close(): Promise<void>
}

/** Opens the embedded provider, each provider whose key is set, and the endpoints of the file. */
export function openProviders(
  config: Config,
  env: Record<string, string | undefined>,
): ProviderSet {
  const aboutFile = naming(`MODELS_FILE ${config.MODELS_FILE}`)
  const file = aboutFile(() => readModelsFile(config.MODELS_FILE))
  const providers = new Map<string, Provider>()
  const origins = new Set<string>()
  const add = (provider: Provider, baseUrl?: string) => {
    providers.set(provider.name, provider)
    if (baseUrl) origins.add(new URL(baseUrl).origin)
  }
  const embedded = naming('EMBEDDED_OPTIONS:')(() => parseEmbeddedOptions(config.EMBEDDED_OPTIONS))
  add(createEmbeddedProvider(embedded))
  addKeyed(config, add)
  for (const endpoint of file.endpoints ?? []) {
    aboutFile(() => {
      if (providers.has(endpoint.name)) throw new Error(`has the name "${endpoint.name}" twice`)
      add(openEndpoint(endpoint, env), endpoint.baseUrl)
    })
  }
  const entries = aboutFile(() =>
    buildEntries({
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

function addKeyed(config: Config, add: (provider: Provider, baseUrl: string) => void) {
  if (config.OPENAI_API_KEY) {
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
    const baseUrl = config.ANTHROPIC_BASE_URL
    add(
      createAnthropicProvider({ name: 'anthropic', apiKey: config.ANTHROPIC_API_KEY, baseUrl }),
      baseUrl,
    )
  }
  if (config.GEMINI_API_KEY) {
    const baseUrl = config.GEMINI_BASE_URL
    add(createGeminiProvider({ name: 'gemini', apiKey: config.GEMINI_API_KEY, baseUrl }), baseUrl)
  }
  if (config.FAL_KEY) {
    const baseUrl = config.FAL_BASE_URL
    add(createFalProvider({ name: 'fal', apiKey: config.FAL_KEY, baseUrl }), baseUrl)
  }
  if (config.REPLICATE_API_TOKEN) {
    const baseUrl = config.REPLICATE_BASE_URL
    add(
      createReplicateProvider({ name: 'replicate', apiKey: config.REPLICATE_API_TOKEN, baseUrl }),
      baseUrl,
    )
  }
}

type FileEndpoint = NonNullable<ModelsFile['endpoints']>[number]

function openEndpoint(endpoint: FileEndpoint, env: Record<string, string | undefined>): Provider {
  const { name, baseUrl, apiKey, apiKeyVariable } = endpoint
  if (!URL.canParse(baseUrl)) throw new Error(`has no address in baseUrl of endpoint "${name}"`)
  const key = apiKey ?? (apiKeyVariable ? env[apiKeyVariable] : undefined)
  if (apiKeyVariable && !key)
    throw new Error(`names ${apiKeyVariable}, which is not set (endpoint "${name}")`)
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
  <T>(read: () => T): T => {
    try {
      return read()
    } catch (cause) {
      throw new Error(`${what} ${(cause as Error).message}`, { cause })
    }
  }

const readModelsFile = (path: string): ModelsFile =>
  path === '' ? {} : parseModelsFile(readFileSync(path, 'utf8'))
