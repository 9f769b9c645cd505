// The API as Anthropic's clients expect it, on the same models, limits and ledger as our own.
// Promises Anthropic's formats for messages, their events, models and errors. Never silently
// ignores a parameter that would change the answer. Knows nothing of sockets or credentials.

import type { Catalogue, Model } from '#core/catalogue.ts'
import type { GenerateText, StreamText } from '#core/generation.ts'
import {
  type CompatCall,
  type CompatCaller,
  modelsFor,
  namedEventLine,
  offeredModel,
  streamAnswer,
} from '../compat-api.ts'
import { fitToModel } from '../fit-model.ts'
import { type CountTokens, inputTokensOf } from '../input-tokens.ts'
import { anthropicPage } from '../model-pages.ts'
import { errorAnswer } from './error-answer.ts'
import { messageOf } from './messages-answer.ts'
import { readMessagesRequest } from './messages-request.ts'
import { createEventWriter, type MessageEvent } from './messages-stream.ts'

export type AnthropicCompat = {
  createMessage: CompatCall
  countTokens: CompatCall
  models(caller: CompatCaller, query: object): object
  model(id: string, caller: CompatCaller): object
}

type Deps = {
  catalogue: Catalogue
  generateText: GenerateText
  streamText: StreamText
  countTokens: CountTokens
}

export function createAnthropicCompat(deps: Deps): AnthropicCompat {
  const { catalogue } = deps
  return {
    async createMessage(body, caller) {
      const { call: asked, isStream } = readMessagesRequest(body, { limit: 'required' })
      const { principal, signal, requestId } = caller
      const call = { ...fitToModel(modelsFor(catalogue, caller), asked), principal }
      if (!isStream) {
        const generated = await deps.generateText(call, { signal })
        return { body: messageOf(generated), attempts: generated.attempts }
      }
      return streamAnswer<MessageEvent>(deps.streamText(call, { signal }), caller, (begin) => ({
        write: createEventWriter(begin),
        line: namedEventLine,
        error: (failure) => [errorAnswer(failure, requestId)],
      }))
    },
    async countTokens(body, caller) {
      const { call } = readMessagesRequest(body, { limit: 'optional' })
      const asked = fitToModel(modelsFor(catalogue, caller), call)
      const input_tokens = await inputTokensOf(asked, deps.countTokens)
      return { body: { input_tokens, context_management: null } }
    },
    models: (caller, query) => {
      const all = modelsFor(catalogue, caller).models.filter(isOffered).map(modelAnswer)
      const { items: data, hasMore } = anthropicPage(all, query)
      const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null]
      return { data, has_more: hasMore, first_id, last_id }
    },
    model: (id, caller) => modelAnswer(offeredModel(modelsFor(catalogue, caller), id, isOffered)),
  }
}

const isOffered = ({ kind }: Model): boolean => kind === 'TEXT' || kind === 'CODE'

/** The catalogue does not know when a model was created. */
const modelAnswer = ({ id, name, capabilities }: Model) => ({
  type: 'model',
  id,
  display_name: name,
  created_at: '1970-01-01T00:00:00Z',
  max_input_tokens: capabilities.maxInputTokens ?? null,
  max_tokens: capabilities.maxOutputTokens ?? null,
})
