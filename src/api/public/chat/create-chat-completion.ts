import { AnswerWarnings, warningsOf } from '#core/answer-warnings.ts'
import { countImages } from '#core/chat-content.ts'
import { toRfc3339 } from '#core/clock.ts'
import { money } from '#core/money.ts'
import { attemptOutcomes, attemptsHeader, attemptsHeaders } from '#core/route.ts'
import { withRoutes } from '#core/routed-catalogue.ts'
import { Type } from '#core/schema.ts'
import { hasParts, totalTokens, type Usage } from '#core/usage.ts'
import { checkCapabilities, chooseModel } from '../../model-choice.ts'
import { answer } from '../../operation.ts'
import { usagePartSchemas } from '../../price-schemas.ts'
import {
  Closed,
  Money,
  NamedRecord,
  Nullable,
  OneOf,
  replayedHeader,
  Timestamp,
} from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { callHeaders, keyErrors } from '../runs/idempotency.ts'

const ChatMessage = Closed({
  role: OneOf(['system', 'user', 'assistant']),
  content: Type.Unknown({
    description:
      'A string, or parts {type:"text",text} and {type:"image_url",image_url:{url}}; any other JSON value is sent as its JSON text. At most 100 pictures in all messages, each at most 10 MiB and together at most 50 MiB.',
  }),
})

const ChatRequest = NamedRecord('ChatRequest', {
  model: Type.String({ description: 'Identifier of a TEXT or CODE model from the model list.' }),
  messages: Type.Array(ChatMessage, { minItems: 1 }),
  systemPrompt: Type.Optional(Type.String({ description: 'Precedes all messages.' })),
  temperature: Type.Optional(Type.Number()),
  maxTokens: Type.Optional(Type.Integer({ minimum: 1 })),
})

const Completion = NamedRecord('Completion', {
  id: Type.String(),
  model: Type.String(),
  content: Type.String(),
  finishReason: OneOf(['stop', 'length', 'content_filter']),
  usage: Closed({
    inputTokens: Type.Integer({ minimum: 0 }),
    outputTokens: Type.Integer({ minimum: 0 }),
    totalTokens: Type.Integer({ minimum: 0 }),
  }),
  usageDetails: Type.Optional(
    Closed(usagePartSchemas, {
      description: 'Tokens that the provider counted apart; each is included in `usage`.',
    }),
  ),
  cost: Nullable(Money),
  createdAt: Timestamp,
  warnings: AnswerWarnings,
  attempts: Type.Optional(
    Type.Array(
      Closed({
        model: Type.String(),
        outcome: OneOf(attemptOutcomes),
        deployment: Type.Optional(
          Type.String({ description: 'The name of the key, where the operator has several.' }),
        ),
      }),
      {
        description:
          'Of a call over a route, or to a provider with several keys: whom it was offered to, in order.',
      },
    ),
  ),
})

export const createChatCompletion = defineOperation({
  id: 'createChatCompletion',
  route: 'POST /chat/completions',
  summary: 'Generate a text response',
  scope: 'chat:write',
  rate: 'chat',
  requestHeaders: callHeaders,
  bodyLimitBytes: 10 * 1024 * 1024,
  body: ChatRequest,
  tool: {
    name: 'svc_chat',
    description:
      'Generate a text response and wait for it. Needs a TEXT or CODE model: list the models before choosing one. Each call is billed and none can be looked up afterwards: repeat one only when its error says retryable, or, after a time-out, when paying again is acceptable.',
  },
  success: {
    200: {
      description: 'The completion',
      data: Completion,
      headers: {
        ...replayedHeader,
        [attemptsHeader]: {
          schema: Type.String(),
          description: 'Who was asked, in order, if several models or keys might have answered.',
        },
      },
    },
  },
  errors: [
    ...keyErrors,
    'MODEL_NOT_FOUND',
    'MODEL_KIND_MISMATCH',
    'UNSUPPORTED_PARAMETER',
    'CONTENT_REJECTED',
    'SPEND_LIMIT_REACHED',
    'UNPRICED_MODEL',
    'EMPTY_ANSWER',
    'PROVIDER_ERROR',
    'PROVIDER_UNAVAILABLE',
    'PROVIDER_TIMEOUT',
  ],
  repeatable: false,
  hasOwnTimeout: true,
  async handle(context, { body }) {
    const { services, principal } = context
    const { messages, systemPrompt, temperature, maxTokens } = body
    const models = withRoutes(services.catalogue, principal.routes)
    const { model } = chooseModel(models, body.model, ['TEXT', 'CODE'])
    checkCapabilities(model.capabilities, { temperature, maxTokens, images: countImages(messages) })
    const result = await services.generateText(
      { principal, modelId: model.id, messages, systemPrompt, temperature, maxTokens },
      { signal: context.signal() },
    )
    const { inputTokens, outputTokens } = result.usage
    const data = {
      id: result.id,
      model: result.modelId,
      content: result.text,
      finishReason: result.finish,
      usage: { inputTokens, outputTokens, totalTokens: totalTokens(result.usage) },
      usageDetails: detailsOf(result.usage),
      cost: result.costMicros === null ? null : money(result.costMicros),
      createdAt: toRfc3339(result.createdAtMs),
      warnings: warningsOf(result.finish),
      attempts: result.attempts,
    }
    return answer(data, { headers: attemptsHeaders(result.attempts) })
  },
})

/** Undefined if the provider counted nothing apart; the record then has no such field. */
function detailsOf(usage: Usage) {
  if (!hasParts(usage)) return undefined
  const { inputTokens: _, outputTokens: __, ...details } = usage
  return details
}
