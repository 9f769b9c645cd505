// How models and their providers are named in lists and pickers.
import type { CatalogueModel, Model } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'
import { priceText } from './model-price.ts'

const names: Record<string, string> = {
  anthropic: 'Anthropic',
  embedded: 'Embedded demo',
  gemini: 'Google Gemini',
  openai: 'OpenAI',
  replicate: 'Replicate',
  route: 'Routes',
}

/** Endpoints of the operator have the names the operator gave them. */
export const providerName = (provider: string): string => names[provider] ?? provider

const rounded = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })

type Capable = Pick<CatalogueModel, 'capabilities'>

/** "1M context"; nothing for models that have none. */
export const contextText = ({ capabilities: { maxInputTokens } }: Capable): string | null =>
  maxInputTokens ? `${rounded.format(maxInputTokens)} context` : null

/** "OpenAI · $3 in, $15 out per M tokens · 1M context". */
export const modelLine = (model: Pick<Model, 'provider' | 'pricing' | 'demo'> & Capable): string =>
  [
    providerName(model.provider),
    priceText(model, locale).replace('per million', 'per M'),
    contextText(model),
  ]
    .filter(Boolean)
    .join(' · ')

/** As a row of a picker: found by name, id and provider. */
export const modelOption = (
  model: Pick<Model, 'id' | 'name' | 'provider' | 'pricing' | 'demo'> & Capable,
) => ({
  value: model.id,
  label: model.name,
  detail: modelLine(model),
  keywords: `${model.id} ${model.provider}`,
  group: providerName(model.provider),
})

/** By provider, in the order of the catalogue; demos come after models that do real work. */
export function demosLast<M extends Pick<Model, 'provider' | 'demo'>>(models: readonly M[]): M[] {
  const byProvider = [...Map.groupBy(models, ({ provider }) => provider).values()]
  const isDemo = ([first]: M[]) => first?.demo === true
  return [...byProvider.filter((group) => !isDemo(group)), ...byProvider.filter(isDemo)].flat()
}
