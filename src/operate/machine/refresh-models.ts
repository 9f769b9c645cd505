import { readFile } from 'node:fs/promises'
import type { Config, Environment } from '#config'
import type { CatalogueEntry, Pricing } from '#core/catalogue.ts'
import type { Clock } from '#core/clock.ts'
import type { Lifecycle } from '#core/lifecycle.ts'
import { openProviders } from '#providers/configured/provider-set.ts'
import { addToModelsFile } from '#providers/discovery/add-to-models-file.ts'
import type { ModelEntry } from '#providers/models-file.ts'
import type { ListedModel } from '#providers/price-lists/price-list.ts'
import { type PricesFile, parsePricesFile } from '#providers/prices-file.ts'
import { fetchText } from './fetch-json.ts'
import { MachineRefused } from './machine-access.ts'
import { readModelsFile, readSettingsFile } from './settings-files.ts'

export type RefreshContext = {
  config: Config
  env: Environment
  clock: Clock
  signal: AbortSignal
}

type Terms = { pricing: Pricing | null; lifecycle: Lifecycle | null }
export type ChangedModel = { id: string; before: Terms; after: Terms }

/** `source`: a file or an address. `add`: models of the list that MODELS_FILE is to have. */
export async function refreshHere(
  { config, env, clock, signal }: RefreshContext,
  { source, add }: { source: string; add: readonly string[] },
) {
  const { text, prices } = await readList(source, { clock, signal })
  // The file need not exist yet.
  const hasFile = (await readSettingsFile(config, 'PRICES_FILE')) !== null
  const PRICES_FILE = hasFile ? config.PRICES_FILE : ''
  const set = await openProviders({ ...config, PRICES_FILE }, env, clock)
  try {
    const configured = set.configured()
    const inUse = set.catalogue.entries.filter(({ model, route }) => model.enabled && !route)
    const changed = changesIn(inUse, set.pricedBy(prices))
    const unlisted = newModels(prices.listed, set.catalogue.entries, configured)
    const added = choose(unlisted, add)
    const modelsText =
      added.length === 0 ? null : addToModelsFile(await readModelsFile(config), { models: added })
    const { date } = prices
    return {
      source: prices.source,
      date,
      inUse: inUse.length,
      changed,
      unlisted,
      added,
      text,
      modelsText,
    }
  } finally {
    await set.close()
  }
}

type ReadList = { text: string; prices: PricesFile }

/** A published list is kept with its source and the day, which it does not state itself. */
async function readList(
  source: string,
  { clock, signal }: Pick<RefreshContext, 'clock' | 'signal'>,
): Promise<ReadList> {
  const isAddress = /^https?:\/\//.test(source)
  const text = isAddress ? await fetchText(source, { signal }) : await readFile(source, 'utf8')
  if (text === null) throw new MachineRefused(`${source} answers with an error.`)
  try {
    const prices = parsePricesFile(text)
    if (prices.date !== null) return { text, prices }
    const date = new Date(clock.nowMs()).toISOString().slice(0, 10)
    const named = isAddress ? source : prices.source
    const kept = `{"source":${JSON.stringify(named)},"date":"${date}","list":${text.trim()}}\n`
    return { text: kept, prices: parsePricesFile(kept) }
  } catch (cause) {
    throw new MachineRefused(`${source} ${(cause as Error).message}`)
  }
}

const termsOf = ({ model: { pricing, lifecycle } }: CatalogueEntry): Terms => ({
  ...{ pricing, lifecycle: lifecycle ?? null },
})

function changesIn(
  before: readonly CatalogueEntry[],
  after: readonly CatalogueEntry[],
): ChangedModel[] {
  const next = new Map(after.map((entry) => [entry.model.id, termsOf(entry)]))
  return before.flatMap((entry) => {
    const [now, then] = [termsOf(entry), next.get(entry.model.id)]
    if (!then || wordsOf(now) === wordsOf(then)) return []
    return [{ id: entry.model.id, before: now, after: then }]
  })
}

/** Equal for equal terms, in whatever order a list names its prices. */
const wordsOf = ({ pricing, lifecycle }: Terms): string =>
  JSON.stringify([Object.entries(pricing ?? {}).sort(), Object.entries(lifecycle ?? {}).sort()])

/** What the list has of providers that can be called now, and this server does not know. */
function newModels(
  listed: readonly ListedModel[],
  entries: readonly CatalogueEntry[],
  configured: ReadonlySet<string>,
): ModelEntry[] {
  const nameOf = (one: { provider: string; providerModel: string }) =>
    `${one.provider} ${one.providerModel}`
  const known = new Set(entries.map(nameOf))
  return listed.flatMap((model) => {
    const { provider, providerModel, kind, name, capabilities, shutdown } = model
    if (!kind || !configured.has(provider) || known.has(nameOf(model)) || shutdown) return []
    return [
      { id: `${provider}/${providerModel}`, provider, providerModel, kind, name, capabilities },
    ]
  })
}

function choose(unlisted: readonly ModelEntry[], wanted: readonly string[]): ModelEntry[] {
  return wanted.map((id) => {
    const found = unlisted.find((entry) => entry.id === id)
    if (found) return found
    throw new MachineRefused(
      `The list has no new model "${id}" of a provider with a key. Run the command without --add to see them.`,
    )
  })
}
