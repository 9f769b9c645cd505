import { type Catalogue, withStandIn } from '#core/catalogue.ts'
import type { StandIns } from '#core/pricing.ts'
import type { ModelLookup } from './models.ts'

/** Models for graphs, including unavailable ones with the reason. */
export const modelLookup =
  (catalogue: Catalogue, standIns?: StandIns): ModelLookup =>
  (id) => {
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
      // Any that may be usable: a key of an account's own uses fewer of them.
      fallbacks: entry.fallbacks.flatMap((other) => {
        const fallback = catalogue.known(other)
        return fallback ? [withStandIn(fallback, standIns).model] : []
      }),
    }
  }
