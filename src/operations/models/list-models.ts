import { Type } from '#core/schema.ts'
import { defineOperation } from '#operations/context.ts'
import { type Answer, answer } from '#operations/operation.ts'
import { PricingRecord } from '#operations/price-schemas.ts'
import { Closed, Nullable, OneOf } from '#operations/schemas.ts'
import type { Catalogue } from '#providers/catalogue.ts'

const Words = Type.Array(Type.String())
const Range = Closed({ min: Type.Number(), max: Type.Number() })

/** Models of other kinds serve the compatible APIs alone, which list them. */
const nativeKinds = ['TEXT', 'CODE', 'IMAGE', 'VIDEO'] as const

const Model = Closed({
  id: Type.String(),
  name: Type.String(),
  provider: Type.String(),
  kind: OneOf(nativeKinds),
  description: Type.String(),
  enabled: Type.Boolean(),
  capabilities: Closed({
    inputModalities: Words,
    maxInputTokens: Type.Optional(Type.Integer()),
    maxOutputTokens: Type.Optional(Type.Integer()),
    temperature: Type.Optional(Range),
    reasoningEfforts: Type.Optional(Words),
    structuredOutput: Type.Optional(Type.Boolean()),
    forcedToolChoice: Type.Optional(Type.Boolean()),
    imageAspectRatios: Type.Optional(Words),
    imageQualities: Type.Optional(Words),
    imageSampleSizes: Type.Optional(Words),
    videoAspectRatios: Type.Optional(Words),
    videoResolutions: Type.Optional(Words),
    videoSeconds: Type.Optional(
      Closed({ min: Type.Integer(), max: Type.Integer(), default: Type.Integer() }),
    ),
    videoAudio: Type.Optional(Type.Boolean()),
  }),
  pricing: Nullable(PricingRecord),
  demo: Type.Optional(Type.Literal(true)),
})

export const listModels = defineOperation({
  id: 'listModels',
  route: 'GET /models',
  summary: 'List the enabled models and their capabilities',
  scope: 'models:read',
  tool: {
    name: 'svc_list_models',
    description:
      'List the enabled models with their kind (TEXT, CODE, IMAGE, VIDEO), capabilities and prices. Call this before choosing a model for any other tool.',
  },
  success: {
    200: {
      description: 'The model catalogue',
      data: Closed({ items: Type.Array(Model), total: Type.Integer() }),
    },
  },
  errors: [],
  repeatable: true,
  handle: ({ services: { catalogue } }) => writtenOnce(catalogue),
})

const written = new WeakMap<Catalogue, Answer>()

/** Serialised once: this is the most requested list, and it never changes while the server runs. */
function writtenOnce(catalogue: Catalogue): Answer {
  const known = written.get(catalogue)
  if (known) return known
  const items = catalogue.models.filter(({ kind }) => nativeKinds.some((own) => own === kind))
  const { status, body } = answer({ items, total: items.length })
  const made = { status, body: JSON.stringify(body) }
  written.set(catalogue, made)
  return made
}
