import type { ModelLookup } from '#nodes/models.ts'
import type { Catalogue } from '#providers/catalogue.ts'

/** Models for graphs, including unavailable ones with the reason. */
export const modelLookup =
  (catalogue: Catalogue): ModelLookup =>
  (id) => {
    const model = catalogue.known(id)?.model
    if (!model) return undefined
    const isConfigured = () => catalogue.models.some((other) => other.provider === model.provider)
    return {
      id: model.id,
      provider: model.provider,
      kind: model.kind,
      availability: model.enabled ? 'available' : isConfigured() ? 'disabled' : 'not-configured',
      capabilities: model.capabilities,
      pricing: model.pricing,
    }
  }
