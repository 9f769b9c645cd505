// Embedding models that are offered when their provider's key is set.
import { type BuiltinModel, cited, flat, from } from './builtin-model.ts'

/** Prices as in the price data of @pydantic/genai-prices 0.1.8. */
const priced = (inputPerMillionTokens: number, source: string) =>
  flat({ inputPerMillionTokens }, '2026-11-15', source)

export const embeddingModels: BuiltinModel[] = [
  {
    ...from('openai', 'text-embedding-3-small'),
    name: 'Text Embedding 3 Small',
    kind: 'EMBEDDING',
    description: 'Vectors for search and clustering, at the lowest price.',
    capabilities: {
      inputModalities: ['text'],
      maxInputTokens: 8_192,
      embeddingDimensions: { min: 1, max: 1_536, default: 1_536 },
    },
    facts: cited(
      'https://developers.openai.com/api/docs/models/text-embedding-3-small',
      '2026-11-15',
    ),
    pricing: priced(0.02, 'https://developers.openai.com/api/docs/models/text-embedding-3-small'),
  },
  {
    ...from('openai', 'text-embedding-3-large'),
    name: 'Text Embedding 3 Large',
    kind: 'EMBEDDING',
    description: 'Vectors for search and clustering, at the highest quality.',
    capabilities: {
      inputModalities: ['text'],
      maxInputTokens: 8_192,
      embeddingDimensions: { min: 1, max: 3_072, default: 3_072 },
    },
    facts: cited(
      'https://developers.openai.com/api/docs/models/text-embedding-3-large',
      '2026-11-15',
    ),
    pricing: priced(0.13, 'https://developers.openai.com/api/docs/models/text-embedding-3-large'),
  },
  {
    ...from('gemini', 'gemini-embedding-2'),
    name: 'Gemini Embedding 2',
    kind: 'EMBEDDING',
    description: 'Vectors for search and clustering in many languages.',
    capabilities: {
      inputModalities: ['text'],
      maxInputTokens: 8_192,
      embeddingDimensions: { min: 128, max: 3_072, default: 3_072 },
    },
    facts: cited('https://ai.google.dev/gemini-api/docs/pricing#gemini-embedding-2', '2026-11-15'),
    pricing: priced(0.2, 'https://ai.google.dev/gemini-api/docs/pricing#gemini-embedding-2'),
  },
]
