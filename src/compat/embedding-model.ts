import { chooseModel } from '#api/model-choice.ts'
import type { Catalogue, Model } from '#core/catalogue.ts'

/** The model, if it can make vectors of this length; `refuse` makes the error of the vendor. */
export function embeddingModel(
  catalogue: Catalogue,
  { modelId, dimensions }: { modelId: string; dimensions: number | undefined },
  refuse: (why: string) => Error,
): Model {
  const { model } = chooseModel(catalogue, modelId, ['EMBEDDING'])
  const range = model.capabilities.embeddingDimensions
  if (dimensions !== undefined && range && (dimensions < range.min || dimensions > range.max)) {
    throw refuse(`must be from ${range.min} to ${range.max} for this model`)
  }
  return model
}
