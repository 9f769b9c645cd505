// The address holds which models are shown, and in which order.
import { definedIn, oneOf, textIn } from '#console/lib/search-values.ts'

export const kinds = [
  'TEXT',
  'CODE',
  'IMAGE',
  'VIDEO',
  'EMBEDDING',
  'SPEECH',
  'TRANSCRIPTION',
] as const
export const states = ['ready', 'unpriced', 'no-key', 'disabled', 'retired'] as const
export const prices = ['free', 'known', 'unknown'] as const
export const abilities = [
  'pictures',
  'documents',
  'search',
  'schema',
  'reasoning',
  'several-pictures',
  'seed',
  'sound',
] as const

export type ModelsSearch = {
  q?: string
  kind?: (typeof kinds)[number]
  provider?: string
  ability?: (typeof abilities)[number]
  price?: (typeof prices)[number]
  state?: (typeof states)[number]
  sort?: 'price'
}

export const modelsSearch = (search: Record<string, unknown>): ModelsSearch =>
  definedIn({
    q: textIn(search.q, 200),
    kind: oneOf(kinds, search.kind),
    provider: textIn(search.provider, 100),
    ability: oneOf(abilities, search.ability),
    price: oneOf(prices, search.price),
    state: oneOf(states, search.state),
    sort: oneOf(['price'], search.sort),
  })
