import { readFileSync } from 'node:fs'
import { type Catalogue, type CatalogueEntry, createCatalogue } from '#core/catalogue.ts'
import type { Clock } from '#core/clock.ts'
import type { LaneLimits } from '#core/lane.ts'
import { routedCatalogue } from '#core/routed-catalogue.ts'
import { buildEntries, type KnownModel, type TokenPrices } from '../build-catalogue.ts'
import { buildLimits } from '../build-limits.ts'
import { buildRoutes } from '../build-routes.ts'
import { pricesAt, sourceOf } from '../builtin-model.ts'
import { builtinModels } from '../builtin-models.ts'
import { createDemoProvider } from '../demo/adapter.ts'
import { demoModels } from '../demo/models.ts'
import { parseDemoOptions } from '../demo/options.ts'
import { type ModelsFile, parseModelsFile } from '../models-file.ts'
import { noPrices, type PricesFile, parsePricesFile } from '../prices-file.ts'
import type { Provider, ProviderAccess } from '../provider.ts'
import { type KeyedSettings, keyedProviders } from './keyed-providers.ts'

export type ProviderSet = {
  catalogue: Catalogue
  /** Includes endpoints that were removed from the file: jobs they accepted are still polled. */
  providers: ReadonlyMap<string, Provider>
  /** Names of the providers that can be called now. */
  configured(): ReadonlySet<string>
  /** Providers that accounts may use their own key with, whether or not the server has one. */
  keyable(): ReadonlyMap<string, ProviderAccess>
  /** What each key of the provider may do at most; undefined if nothing is set. */
  limitsOf(provider: string): LaneLimits | undefined
  /** Origins the operator configured; they are exempt from the outbound policy. */
  origins: ReadonlySet<string>
  /** The content of MODELS_FILE as it was first read; empty if there is none. */
  modelsText: string
  /** Switches to new content of MODELS_FILE. Throws, and changes nothing, if it is not usable. */
  readAgain(text: string): Promise<void>
  /** The same for PRICES_FILE. */
  pricesText: string
  readPricesAgain(text: string): Promise<void>
  /** What PRICES_FILE says about itself. */
  pricesFile(): Pick<PricesFile, 'source' | 'date' | 'models'>
  /** All models as they would be with this file in the place of PRICES_FILE. */
  pricedBy(prices: PricesFile): readonly CatalogueEntry[]
  /** Switches to the current prices and lifecycles: some change on a certain day, or with the hour. */
  priceAgain(): void
  close(): Promise<void>
}

/** The part of the configuration that decides which providers there are. */
export type ProviderSettings = KeyedSettings & {
  MODELS_FILE: string
  PRICES_FILE: string
  EMBEDDED_OPTIONS: string
}

type Env = Record<string, string | undefined>

/**
 * Opens the demo provider, each provider whose key is set, and the endpoints of the file.
 * Each adapter is loaded only if it is used.
 */
export async function openProviders(
  settings: ProviderSettings,
  env: Env,
  { nowMs }: Clock,
): Promise<ProviderSet> {
  const { providers, origins, add, keyed } = await openFixed(settings)
  const fixed: ReadonlySet<string> = new Set(providers.keys())
  const read = naming(`MODELS_FILE ${settings.MODELS_FILE}`)
  const path = settings.MODELS_FILE
  const modelsText = await read(async () => textOf(path))
  let file = await read(() => readModels(modelsText, { env, fixed }))
  for (const { provider, baseUrl } of file.endpoints.values()) add(provider, baseUrl)
  const { PRICES_FILE: pricesPath } = settings
  const readPrices = naming(`PRICES_FILE ${pricesPath}`)
  const parsePrices = (text: string) =>
    readPrices(async () => (pricesPath === '' ? noPrices : parsePricesFile(text)))
  const pricesText = await readPrices(async () => textOf(pricesPath))
  let pricesFile = await parsePrices(pricesText)
  const first = await read(async () => file.entriesAt(nowMs(), pricesFile))
  const models = createCatalogue(first)
  const catalogue = routedCatalogue(models, () => file.routes)
  let prices = pricesIn(first)
  const replace = (entries: CatalogueEntry[]) => {
    prices = pricesIn(entries)
    models.replace(entries)
  }
  const replaced: Provider[] = []
  return {
    catalogue,
    providers,
    configured: () => new Set([...fixed, ...file.endpoints.keys()]),
    keyable: () =>
      new Map<string, ProviderAccess>([
        ...keyed.filter(({ baseUrl }) => baseUrl).map((one) => [one.name, one] as const),
        ...file.endpoints,
      ]),
    limitsOf: (provider) => file.limits.get(provider),
    origins,
    ...{ modelsText, pricesText },
    pricesFile: () => pricesFile,
    pricedBy: (prices) => file.entriesAt(nowMs(), prices),
    async readPricesAgain(text) {
      const next = await parsePrices(text)
      replace(file.entriesAt(nowMs(), next))
      pricesFile = next
    },
    async readAgain(text) {
      const next = await read(() => readModels(text, { env, fixed, known: file.endpoints }))
      const entries = await read(async () => next.entriesAt(nowMs(), pricesFile))
      // Nothing is awaited from here on, so every reader sees either the old file or the new one.
      for (const { provider, baseUrl } of next.endpoints.values()) {
        const old = providers.get(provider.name)
        if (old && old !== provider) replaced.push(old)
        add(provider, baseUrl)
      }
      replace(entries)
      file = next
    },
    priceAgain() {
      const entries = file.entriesAt(nowMs(), pricesFile)
      if (pricesIn(entries) !== prices) replace(entries)
    },
    // Calls in flight may still use a replaced provider, so it is closed only with the rest.
    close: async () => {
      await Promise.all([...providers.values(), ...replaced].map((provider) => provider.close?.()))
    },
  }
}

/** The demo provider and those whose keys are settings. */
async function openFixed(settings: ProviderSettings) {
  const providers = new Map<string, Provider>()
  const origins = new Set<string>()
  const add = (provider: Provider, baseUrl?: string) => {
    providers.set(provider.name, provider)
    if (baseUrl) origins.add(new URL(baseUrl).origin)
  }
  const demo = await naming('EMBEDDED_OPTIONS:')(async () =>
    parseDemoOptions(settings.EMBEDDED_OPTIONS),
  )
  add(createDemoProvider(demo))
  const keyed = keyedProviders(settings)
  for (const { apiKey, baseUrl, open } of keyed) {
    if (apiKey) add(await open(apiKey), baseUrl)
    // Calls with an account's key also have results to fetch from there.
    else if (baseUrl) origins.add(new URL(baseUrl).origin)
  }
  return { providers, origins, add, keyed }
}

type OpenEndpoint = ProviderAccess & { provider: Provider; settings: string }
type Endpoints = ReadonlyMap<string, OpenEndpoint>

/** An endpoint whose settings are unchanged keeps its provider, and thus its connections. */
async function readModels(
  text: string,
  { env, fixed, known: before }: { env: Env; fixed: ReadonlySet<string>; known?: Endpoints },
) {
  const {
    endpoints: written = [],
    models,
    routes: writtenRoutes,
    limits: writtenLimits = [],
  }: ModelsFile = text === '' ? {} : parseModelsFile(text)
  const endpoints = new Map<string, OpenEndpoint>()
  for (const endpoint of written) {
    const { name, baseUrl } = endpoint
    if (fixed.has(name) || endpoints.has(name)) throw new Error(`has the name "${name}" twice`)
    const settings = JSON.stringify(endpoint)
    const same = before?.get(name)
    const provider = same?.settings === settings ? same.provider : await openEndpoint(endpoint, env)
    const open = (key: string) => endpointWith(endpoint, key)
    endpoints.set(name, { provider, baseUrl, settings, open })
  }
  const configuredProviders = new Set([...fixed, ...endpoints.keys()])
  const priceData = configuredProviders.size > 1 || models ? await loadPrices() : null
  const knownAt = (nowMs: number): KnownModel[] => [
    ...demoModels.map((model) => ({ ...model, providerModel: model.id })),
    ...builtinModels.map(({ facts: _, laterPricing, pricing, ...model }) => ({
      ...model,
      pricing: pricesAt({ pricing, laterPricing }, nowMs) ?? null,
      ...(pricing ? { priceSource: sourceOf(pricing) } : {}),
    })),
  ]
  const fromFile = models ?? []
  const entriesAt = (nowMs: number, pricesFile: PricesFile): CatalogueEntry[] => {
    const tokenPrices: TokenPrices = (provider, model) => {
      const pricing = priceData?.tokenPrices(provider, model, nowMs)
      return pricing ? { pricing, priceSource: priceData?.priceDataSource } : null
    }
    const known = knownAt(nowMs)
    return buildEntries({ tokenPrices, known, fromFile, configuredProviders, pricesFile, nowMs })
  }
  const routes = writtenRoutes && buildRoutes(writtenRoutes, entriesAt(0, noPrices))
  const named = new Set([...configuredProviders, ...builtinModels.map(({ provider }) => provider)])
  return { endpoints, entriesAt, routes, limits: buildLimits(writtenLimits, named) }
}

const pricesIn = (entries: readonly CatalogueEntry[]): string =>
  JSON.stringify(entries.map(({ model }) => [model.pricing, model.lifecycle]))

type FileEndpoint = NonNullable<ModelsFile['endpoints']>[number]

async function openEndpoint(endpoint: FileEndpoint, env: Env): Promise<Provider> {
  const { name, baseUrl, apiKey, apiKeyVariable } = endpoint
  if (!URL.canParse(baseUrl)) throw new Error(`has no address in baseUrl of endpoint "${name}"`)
  const key = apiKey ?? (apiKeyVariable ? env[apiKeyVariable] : undefined)
  if (apiKeyVariable && !key)
    throw new Error(`names ${apiKeyVariable}, which is not set (endpoint "${name}")`)
  return endpointWith(endpoint, key ?? '')
}

async function endpointWith({ name, baseUrl }: FileEndpoint, apiKey: string): Promise<Provider> {
  const { createOpenAiProvider } = await import('../openai/adapter.ts')
  const address = { name, apiKey, baseUrl: baseUrl.replace(/\/+$/, '') }
  return createOpenAiProvider({ ...address, dialect: 'compatible' })
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

const loadPrices = () => import('../token-prices.ts')

const textOf = (path: string): string => (path === '' ? '' : readFileSync(path, 'utf8'))
