import { type Catalogue, type CatalogueEntry, withStandIn } from '#core/catalogue.ts'
import type { ModelChoices } from '#core/principal.ts'
import { servedBy, typicalPrice, withRoutes } from '#core/routed-catalogue.ts'
import type { Candidate, ModelLookup } from './models.ts'

/** Models for graphs, including unavailable ones with the reason. */
export function modelLookup(
  models: Catalogue,
  { standIns, routes }: ModelChoices = {},
): ModelLookup {
  const catalogue = withRoutes(models, routes)
  return (id) => {
    const known = catalogue.known(id)
    if (!known) return undefined
    const entry = withStandIn(known, standIns)
    const { model, isWithdrawn } = entry
    const isDisabled = () =>
      isWithdrawn || catalogue.models.some((other) => other.provider === model.provider)
    return {
      id: model.id,
      provider: model.provider,
      kind: model.kind,
      availability: model.enabled ? 'available' : isDisabled() ? 'disabled' : 'not-configured',
      capabilities: model.capabilities,
      pricing: model.pricing,
      lifecycle: model.lifecycle,
      ...(entry.route
        ? { candidates: candidatesOf(catalogue, entry.route, standIns) }
        : { fallbacks: fallbacksOf(catalogue, entry, standIns) }),
    }
  }
}

/** Any that may be usable: a key of an account's own uses fewer of them. */
const fallbacksOf = (
  catalogue: Catalogue,
  { fallbacks }: CatalogueEntry,
  standIns: ModelChoices['standIns'],
): Candidate[] =>
  fallbacks.flatMap((id) => {
    const fallback = catalogue.known(id)
    return fallback ? [withStandIn(fallback, standIns).model] : []
  })

function candidatesOf(
  catalogue: Catalogue,
  route: NonNullable<CatalogueEntry['route']>,
  standIns: ModelChoices['standIns'],
): Candidate[] {
  const models = servedBy(catalogue, route, { owner: 'server', standIns }).map(({ model }) => model)
  if (route.sort !== 'price') return models
  const price = ({ pricing }: Candidate) => typicalPrice(pricing) ?? Number.MAX_VALUE
  return models.sort((one, other) => price(one) - price(other))
}
