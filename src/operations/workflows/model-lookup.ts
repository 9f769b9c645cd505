import type { ModelLookup } from '#nodes/models.ts'
import type { Catalogue } from '#providers/catalogue.ts'

/** Models for graphs, including unavailable ones with the reason. */
export const modelLookup =
  (catalogue: Catalogue): ModelLookup =>
  (id) => {
    const entry = catalogue.known(id)
    if (!entry) return undefined
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
    }
  }
