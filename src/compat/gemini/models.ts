import type { Catalogue, Model } from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'

const textMethods = ['generateContent', 'streamGenerateContent', 'countTokens']
const embeddingMethods = ['embedContent', 'batchEmbedContents']

const methodsOf = ({ kind }: Model): string[] => {
  if (kind === 'TEXT' || kind === 'CODE') return textMethods
  return kind === 'EMBEDDING' ? embeddingMethods : []
}

const isOffered = (model: Model): boolean => methodsOf(model).length > 0

export const modelsAnswer = ({ models }: Catalogue) => ({
  models: models.filter(isOffered).map(modelAnswer),
})

export function oneModelAnswer(catalogue: Catalogue, id: string): object {
  const model = catalogue.find(id)?.model
  if (model && isOffered(model)) return modelAnswer(model)
  throw new Failure('MODEL_NOT_FOUND', { details: { param: 'model' } })
}

function modelAnswer(model: Model): object {
  const { id, name, description, capabilities } = model
  const { maxInputTokens, maxOutputTokens, temperature, reasoningEfforts = [] } = capabilities
  return {
    name: `models/${id}`,
    version: '1',
    displayName: name,
    description,
    ...(maxInputTokens === undefined ? {} : { inputTokenLimit: maxInputTokens }),
    ...(maxOutputTokens === undefined ? {} : { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: methodsOf(model),
    ...(temperature ? { maxTemperature: temperature.max } : {}),
    ...(reasoningEfforts.length > 0 ? { thinking: true } : {}),
  }
}
