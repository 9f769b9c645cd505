import type { CatalogueModel } from '#console/api/types.ts'
import { demosLast, providerName } from '#console/shared/model-facts.ts'
import { comparablePrice } from '#console/shared/model-price.ts'
import { findOptions } from '#console/ui/find-options.ts'
import { kinds, type ModelsSearch } from './address.ts'

type Ability = NonNullable<ModelsSearch['ability']>

const has: Record<Ability, (capabilities: CatalogueModel['capabilities']) => boolean> = {
  pictures: ({ inputModalities }) => inputModalities.includes('image'),
  documents: ({ documents }) => documents === true,
  search: ({ webSearch }) => webSearch !== undefined,
  schema: ({ structuredOutput }) => structuredOutput === true,
  reasoning: ({ reasoningEfforts = [] }) => reasoningEfforts.length > 0,
  'several-pictures': ({ maxInputImages = 1 }) => maxInputImages > 1,
  seed: ({ mediaOptions = [] }) => mediaOptions.includes('seed'),
  sound: ({ videoAudio }) => videoAudio === true,
}

const priced: Record<NonNullable<ModelsSearch['price']>, (price: number | null) => boolean> = {
  free: (price) => price === 0,
  known: (price) => price !== null,
  unknown: (price) => price === null,
}

/** The models that match every filter, those that can be used first, or the cheapest first. */
export function filterModels(
  models: readonly CatalogueModel[],
  { q = '', kind, provider, ability, price, state, sort }: ModelsSearch,
): CatalogueModel[] {
  const fitting = demosLast(models).filter(
    (model) =>
      (kind === undefined || model.kind === kind) &&
      (provider === undefined || model.provider === provider) &&
      (state === undefined || model.state === state) &&
      (ability === undefined || has[ability](model.capabilities)) &&
      (price === undefined || priced[price](comparablePrice(model))),
  )
  const found = findOptions(
    fitting.map((model) => ({
      model,
      label: model.name,
      keywords: `${model.id} ${model.provider} ${providerName(model.provider)} ${model.description}`,
    })),
    q,
  ).map(({ model }) => model)
  if (sort === 'price') return found.sort(byPrice)
  // Whoever searches gets the best match first; whoever looks around, what can be used.
  return q === '' ? found.sort((a, b) => Number(isUsable(b)) - Number(isUsable(a))) : found
}

const isUsable = ({ state }: CatalogueModel): boolean => state === 'ready' || state === 'unpriced'

/** Prices of different kinds have different units, so each kind has an order of its own. */
function byPrice(a: CatalogueModel, b: CatalogueModel): number {
  const price = (model: CatalogueModel) => comparablePrice(model) ?? Number.POSITIVE_INFINITY
  const [one, other] = [price(a), price(b)]
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || (one === other ? 0 : one - other)
}
