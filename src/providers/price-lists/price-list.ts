import type { Capabilities, ModelKind } from '#core/catalogue.ts'
import type { Shutdown } from '#core/lifecycle.ts'
import type { UnitPrices } from '#core/pricing.ts'

/** What a published list says about one model. */
export type ListedModel = {
  /** As we call it. */
  provider: string
  /** The provider's name for it. */
  providerModel: string
  name: string
  /** Null if it is none that we can call. */
  kind: ModelKind | null
  /** Null if the list has none that we can bill exactly. */
  prices: UnitPrices | null
  /** Of calls in batches, where the list has them. */
  batchPrices?: UnitPrices | null
  /** In the flex tier, where the list has them. */
  flexPrices?: UnitPrices | null
  capabilities: Partial<Capabilities>
  shutdown: Shutdown | null
}

export type PriceList = { source: string; models: readonly ListedModel[] }

/** Without the error of a multiplication in floating point: 2.5e-06 is 2.5 per million. */
export const exact = (price: number): number => Number(price.toPrecision(12))

/** The whole number a list states as a limit, which some lists write as 0 if it is unknown. */
export const limitOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined

export const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)

/** Half a price would replace a whole one. Vectors have no output, so theirs may be half. */
export const isHalf = ({
  inputPerMillionTokens: input,
  outputPerMillionTokens: output,
}: UnitPrices): boolean => output !== undefined && input === undefined

/** A price of 0 may mean that nobody knows it. */
export const isFree = (prices: UnitPrices): boolean =>
  !Object.values(prices).some((price) => Number(price) > 0)
