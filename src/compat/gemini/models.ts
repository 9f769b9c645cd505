import type { Catalogue, Model } from '#core/catalogue.ts'
import { offeredModel } from '../compat-api.ts'

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

export const oneModelAnswer = (catalogue: Catalogue, id: string): object =>
  modelAnswer(offeredModel(catalogue, id, isOffered))

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
