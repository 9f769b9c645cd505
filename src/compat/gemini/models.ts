import type { Catalogue, Model } from '#core/catalogue.ts'
import { offeredModel } from '../compat-api.ts'
import { googlePage } from '../model-pages.ts'

const textMethods = ['generateContent', 'streamGenerateContent', 'countTokens']
const embeddingMethods = ['embedContent', 'batchEmbedContents']

const methodsOf = ({ kind }: Model): string[] => {
  if (kind === 'TEXT' || kind === 'CODE') return textMethods
  return kind === 'EMBEDDING' ? embeddingMethods : []
}

const isOffered = (model: Model): boolean => methodsOf(model).length > 0

export function modelsAnswer({ models }: Catalogue, query: object): object {
  const { items, hasMore } = googlePage(models.filter(isOffered).map(modelAnswer), query)
  return { models: items, ...(hasMore ? { nextPageToken: items.at(-1)?.name } : {}) }
}

export const oneModelAnswer = (catalogue: Catalogue, id: string): object =>
  modelAnswer(offeredModel(catalogue, id, isOffered))

function modelAnswer(model: Model) {
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
