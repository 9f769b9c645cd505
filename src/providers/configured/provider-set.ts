import { readFileSync } from 'node:fs'
import { type Catalogue, type CatalogueEntry, createCatalogue } from '#core/catalogue.ts'
import type { Clock } from '#core/clock.ts'
import type { LaneLimits } from '#core/lane.ts'
import { routedCatalogue } from '#core/routed-catalogue.ts'
import { createDemoProvider } from '../demo/adapter.ts'
import { parseDemoOptions } from '../demo/options.ts'
import { noPrices, type PricesFile, parsePricesFile } from '../prices-file.ts'
import type { Provider, ProviderAccess } from '../provider.ts'
import { joinProviders } from './join-providers.ts'
import { type KeyedSettings, keyedProviders } from './keyed-providers.ts'
import type { OpenDeployment } from './open-servers.ts'
import { readModels } from './read-models.ts'

export type ProviderSet = {
  catalogue: Catalogue
  /** Includes endpoints that were removed from the file: jobs they accepted are still polled. */
  providers: ReadonlyMap<string, Provider>
  /** Names of the providers that can be called now. */
  configured(): ReadonlySet<string>
  /** Providers that accounts may use their own key with, whether or not the server has one. */
  keyable(): ReadonlyMap<string, ProviderAccess>
  /**
   * The provider with exactly this key of the server, also one that was taken out of the file since;
   * null: the key without a name.
   */
  providerWith(provider: string, deployment: string | null): Provider | undefined
  /** The server's keys for the provider, if they have names. */
  deploymentsOf(provider: string): readonly OpenDeployment[] | undefined
  /** What each key of the provider, or this one, may do at most; undefined if nothing is set. */
  limitsOf(provider: string, deployment?: string): LaneLimits | undefined
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
  const { own, origins, keyed } = await openFixed(settings)
  const { providers, join, providerWith, close } = joinProviders(own, origins)
  const read = naming(`MODELS_FILE ${settings.MODELS_FILE}`)
  const path = settings.MODELS_FILE
  const modelsText = await read(async () => textOf(path))
  let file = await read(() => readModels(modelsText, { env, own, keyed }))
  join(file)
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
  return {
    catalogue,
    providers,
    providerWith,
    configured: () => file.configuredProviders,
    keyable: () =>
      new Map<string, ProviderAccess>([
        ...keyed.filter(({ baseUrl }) => baseUrl).map((one) => [one.name, one] as const),
        ...file.endpoints,
      ]),
    deploymentsOf: (provider) => file.deployments.get(provider),
    limitsOf: (provider, deployment) => file.limitsOf(provider, deployment),
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
      const next = await read(() => readModels(text, { env, own, keyed, known: file }))
      const entries = await read(async () => next.entriesAt(nowMs(), pricesFile))
      // Nothing is awaited from here on, so every reader sees either the old file or the new one.
      join(next)
      replace(entries)
      file = next
    },
    priceAgain() {
      const entries = file.entriesAt(nowMs(), pricesFile)
      if (pricesIn(entries) !== prices) replace(entries)
    },
    close,
  }
}

/** The demo provider and those whose keys are settings. */
async function openFixed(settings: ProviderSettings) {
  const own = new Map<string, Provider>()
  const origins = new Set<string>()
  const demo = await naming('EMBEDDED_OPTIONS:')(async () =>
    parseDemoOptions(settings.EMBEDDED_OPTIONS),
  )
  const embedded = createDemoProvider(demo)
  own.set(embedded.name, embedded)
  const keyed = keyedProviders(settings)
  for (const { name, apiKey, baseUrl, open } of keyed) {
    if (apiKey) own.set(name, await open(apiKey))
    // Calls with an account's key also have results to fetch from there.
    if (baseUrl) origins.add(new URL(baseUrl).origin)
  }
  return { own, origins, keyed }
}

const pricesIn = (entries: readonly CatalogueEntry[]): string =>
  JSON.stringify(entries.map(({ model }) => [model.pricing, model.lifecycle]))

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

const textOf = (path: string): string => (path === '' ? '' : readFileSync(path, 'utf8'))
