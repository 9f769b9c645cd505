import type { Catalogue } from '#core/catalogue.ts'
import { withRoutes } from '#core/routed-catalogue.ts'
import { Type } from '#core/schema.ts'
import { hostedForms } from '#core/text-stream.ts'
import { type Answer, answer } from '../../operation.ts'
import { PricingRecord } from '../../price-schemas.ts'
import { Closed, NamedRecord, Nullable, OneOf } from '../../schemas.ts'
import { defineOperation } from '../context.ts'

const Words = Type.Array(Type.String())
const Range = Closed({ min: Type.Number(), max: Type.Number() })

/** Models of other kinds are used, and listed, by the compatible APIs alone. */
const nativeKinds = ['TEXT', 'CODE', 'IMAGE', 'VIDEO'] as const

export const ModelLifecycle = Closed({
  status: OneOf(['retiring', 'retired']),
  shutdownAt: Type.Optional(
    Type.String({
      format: 'date',
      description: 'From this day on (UTC) the vendor answers no calls.',
    }),
  ),
  replacement: Type.Optional(Type.String({ description: 'The model to use instead.' })),
})

export const Model = NamedRecord('Model', {
  id: Type.String(),
  name: Type.String(),
  provider: Type.String(),
  kind: OneOf(nativeKinds),
  description: Type.String(),
  enabled: Type.Boolean(),
  capabilities: Closed({
    inputModalities: Words,
    maxInputImages: Type.Optional(
      Type.Integer({ description: 'How many input images one generation accepts; 1 if absent.' }),
    ),
    mask: Type.Optional(
      Type.Boolean({
        description: 'True if a mask may say which part of the first input image it changes.',
      }),
    ),
    maxInputTokens: Type.Optional(Type.Integer()),
    maxOutputTokens: Type.Optional(Type.Integer()),
    minOutputTokens: Type.Optional(
      Type.Integer({ description: 'Minimum of maxTokens; 1 if absent.' }),
    ),
    contextTiers: Type.Optional(
      Type.Array(Type.Integer(), {
        description: 'Input sizes in tokens above which the whole call costs more.',
      }),
    ),
    temperature: Type.Optional(Range),
    topP: Type.Optional(Range),
    stopSequences: Type.Optional(
      Type.Boolean({ description: 'False if the model does not support stop sequences.' }),
    ),
    reasoningEfforts: Type.Optional(Words),
    documents: Type.Optional(Type.Boolean({ description: 'True if the model reads PDFs.' })),
    webSearch: Type.Optional(
      OneOf(
        hostedForms,
        'The vendor searches the web for it, if asked through the compatible API of this name.',
      ),
    ),
    structuredOutput: Type.Optional(Type.Boolean()),
    forcedToolChoice: Type.Optional(Type.Boolean()),
    imageAspectRatios: Type.Optional(Words),
    imageQualities: Type.Optional(Words),
    imageSampleSizes: Type.Optional(Words),
    videoAspectRatios: Type.Optional(Words),
    videoResolutions: Type.Optional(Words),
    videoSeconds: Type.Optional(
      Closed({
        min: Type.Integer(),
        max: Type.Integer(),
        default: Type.Integer(),
        values: Type.Optional(
          Type.Array(Type.Integer(), {
            description: 'The allowed lengths, if not every value in the range is allowed.',
          }),
        ),
      }),
    ),
    videoAudio: Type.Optional(Type.Boolean()),
    mediaOptions: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Further parameters of a generation that the model gets, such as seed.',
      }),
    ),
  }),
  pricing: Nullable(PricingRecord),
  priceSource: Type.Optional(
    Closed(
      { source: Type.String(), date: Nullable(Type.String({ format: 'date' })) },
      { description: 'Where the price is from, and the day for which it was stated.' },
    ),
  ),
  demo: Type.Optional(Type.Literal(true)),
  lifecycle: Type.Optional(ModelLifecycle),
  route: Type.Optional(
    Type.Literal(true, { description: 'It is a route: one of several models answers.' }),
  ),
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
      data: NamedRecord('ModelList', { items: Type.Array(Model), total: Type.Integer() }),
    },
  },
  handle: ({ services: { catalogue }, principal: { routes } }) =>
    writtenOnce(withRoutes(catalogue, routes).models),
})

export const nativeModels = (models: Catalogue['models']): Catalogue['models'] =>
  models.filter(({ kind }) => nativeKinds.some((own) => own === kind))

const written = new WeakMap<Catalogue['models'], Answer>()

/** Serialised once: this is the most requested list, and a revision of it never changes. */
function writtenOnce(models: Catalogue['models']): Answer {
  const known = written.get(models)
  if (known) return known
  const items = nativeModels(models)
  const { status, body } = answer({ items, total: items.length })
  const made = { status, body: JSON.stringify(body) }
  written.set(models, made)
  return made
}
