import type { CatalogueModel } from '#console/api/types.ts'
import type { ModelsSearch } from './address.ts'

export const kindWords: Record<CatalogueModel['kind'], string> = {
  TEXT: 'Text',
  CODE: 'Code',
  IMAGE: 'Image',
  VIDEO: 'Video',
  EMBEDDING: 'Embedding',
  SPEECH: 'Speech',
  TRANSCRIPTION: 'Transcription',
}

export const stateWords: Record<CatalogueModel['state'], string> = {
  ready: 'Ready',
  unpriced: 'No price',
  'no-key': 'Needs a key',
  disabled: 'Disabled',
  retired: 'Retired',
}

export const abilityWords: Record<NonNullable<ModelsSearch['ability']>, string> = {
  pictures: 'Takes pictures',
  documents: 'Reads PDFs',
  search: 'Searches the web',
  schema: 'Keeps to a JSON schema',
  reasoning: 'Reasoning effort',
  'several-pictures': 'Takes several pictures',
  seed: 'Seed',
  sound: 'Video with sound',
}

export const priceWords: Record<NonNullable<ModelsSearch['price']>, string> = {
  free: 'Free',
  known: 'Price known',
  unknown: 'Price unknown',
}
