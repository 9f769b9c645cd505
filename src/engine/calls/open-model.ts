import type { CatalogueEntry } from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'
import type { Provider } from '#providers/provider.ts'
import { providerOf } from './deployments.ts'
import type { TextCallDeps } from './text-attempt.ts'

/** Finds a model for a call that only some providers support, and their method for it. */
export function openModel<Ask>(
  { catalogue, providers }: Pick<TextCallDeps, 'catalogue' | 'providers'>,
  modelId: string,
  asking: (provider: Provider) => Ask | undefined,
): { entry: CatalogueEntry; askAt(entry: CatalogueEntry): Ask } {
  const entry = catalogue.find(modelId)
  if (!entry) throw new Failure('MODEL_NOT_FOUND')
  function askAt(at: CatalogueEntry): Ask {
    const provider = providerOf(providers, at)
    const ask = provider && asking(provider)
    if (!ask) throw new Failure('MODEL_KIND_MISMATCH', { message: unable(at) })
    return ask
  }
  askAt(entry)
  return { entry, askAt }
}

const unable = ({ provider, model }: CatalogueEntry): string =>
  `"${model.id}" is of kind ${model.kind}, which provider "${provider}" cannot serve.`
