// PRICES_FILE: prices that the operator refreshes without a new version. Our own format, or a list
// that somebody publishes, either as it is or as `atelier models refresh` keeps it: with its address
// and day. Our own is checked like MODELS_FILE; of the others, what we can bill exactly is used.
import { createAjv } from '#core/ajv.ts'
import type { PriceSource, Pricing } from '#core/catalogue.ts'
import type { Shutdown } from '#core/lifecycle.ts'
import { currency } from '#core/money.ts'
import { once } from '#core/once.ts'
import type { UnitPrices } from '#core/pricing.ts'
import { type Static, Type } from '#core/schema.ts'
import { ModelsFileError, problemsOf, readJson } from './models-file.ts'
import { fromLiteLlm, isLiteLlm } from './price-lists/litellm.ts'
import { fromModelsDev, isModelsDev } from './price-lists/models-dev.ts'
import type { ListedModel, PriceList } from './price-lists/price-list.ts'
import { UnitPricesSchema } from './price-schema.ts'

export type SourcedPricing = { pricing: Pricing; priceSource?: PriceSource | undefined }

/** `id`: as callers write it. */
type Named = { id: string; provider: string; providerModel: string }

/** The prices of one model, or null. */
export type PriceLookup = (model: Named) => SourcedPricing | null

export type PricesFile = {
  find: PriceLookup
  /** What the file knows about the end of a model. */
  shutdownOf(model: Named): Shutdown | null
  /** Its prices in batches, if the file has some. */
  batchPricesOf(model: Named): UnitPrices | null
  flexPricesOf(model: Named): UnitPrices | null
  /** All models of a published list. */
  listed: readonly ListedModel[]
  source: string
  date: string | null
  /** How many it prices. */
  models: number
}

const closed = { additionalProperties: false }
const Source = Type.String({ minLength: 1, maxLength: 500 })
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'a day, as 2026-11-17' })
const OwnFile = Type.Object(
  {
    source: Source,
    date: Day,
    prices: Type.Record(Type.String({ minLength: 1 }), UnitPricesSchema),
  },
  closed,
)
/** A published list with what it does not say about itself. */
const KeptFile = Type.Object({ source: Source, date: Day, list: Type.Unknown() }, closed)

export const noPrices: PricesFile = {
  ...{ find: () => null, shutdownOf: () => null, batchPricesOf: () => null },
  flexPricesOf: () => null,
  ...{ listed: [], source: '', date: null, models: 0 },
}

/** Throws a ModelsFileError that says what is wrong. */
export function parsePricesFile(text: string): PricesFile {
  const value = readJson(text)
  const list = listIn(value)
  if (list) return fromList(list, { source: list.source, date: null })
  const { kept, own } = checks()
  if (kept(value)) {
    const inner = listIn(value.list)
    if (!inner) throw new ModelsFileError('has a list that is neither LiteLLM’s nor models.dev’s')
    return fromList(inner, value)
  }
  if (!own(value)) throw new ModelsFileError(problemsOf(own.errors ?? []))
  return fromOwn(value)
}

const listIn = (value: unknown): PriceList | null =>
  isLiteLlm(value) ? fromLiteLlm(value) : isModelsDev(value) ? fromModelsDev(value) : null

const checks = once(() => {
  const ajv = createAjv({ allErrors: true, verbose: true })
  return {
    own: ajv.compile<Static<typeof OwnFile>>(OwnFile),
    kept: ajv.compile<Static<typeof KeptFile>>(KeptFile),
  }
})

function fromOwn({ source, date, prices }: Static<typeof OwnFile>): PricesFile {
  return {
    ...noPrices,
    find: ({ id }) => {
      const own = Object.hasOwn(prices, id) ? prices[id] : undefined
      return own ? { pricing: { currency, ...own }, priceSource: { source, date } } : null
    },
    ...{ source, date, models: Object.keys(prices).length },
  }
}

function fromList({ models }: PriceList, priceSource: PriceSource): PricesFile {
  const byName = new Map(models.map((model) => [nameOf(model), model]))
  const priced = models.filter(({ prices }) => prices).length
  if (priced === 0) throw new ModelsFileError('has no price that can be used')
  const { source, date } = priceSource
  return {
    find(model) {
      const prices = byName.get(nameOf(model))?.prices
      return prices ? { pricing: { currency, ...prices }, priceSource: { source, date } } : null
    },
    shutdownOf: (model) => byName.get(nameOf(model))?.shutdown ?? null,
    batchPricesOf: (model) => byName.get(nameOf(model))?.batchPrices ?? null,
    flexPricesOf: (model) => byName.get(nameOf(model))?.flexPrices ?? null,
    ...{ listed: models, source, date, models: priced },
  }
}

const nameOf = ({ provider, providerModel }: Pick<Named, 'provider' | 'providerModel'>): string =>
  `${provider} ${providerModel}`
