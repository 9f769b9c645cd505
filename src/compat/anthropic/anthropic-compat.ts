// The API as Anthropic's clients expect it, on the same models, limits and ledger as our own.
// Promises Anthropic's formats for messages, their events, models and errors. Never silently
// ignores a parameter that would change the answer. Knows nothing of sockets or credentials.

import { checkCapabilities, chooseModel } from '#api/model-choice.ts'
import type { Catalogue, Model } from '#core/catalogue.ts'
import { countImages, readContent, textOf } from '#core/chat-content.ts'
import type { GenerateText, StreamText, TextCall } from '#core/generation.ts'
import { type CompatCall, namedEventLine, streamAnswer } from '../compat-api.ts'
import { errorAnswer } from './error-answer.ts'
import { messageOf } from './messages-answer.ts'
import { readMessagesRequest } from './messages-request.ts'
import { createEventWriter, type MessageEvent } from './messages-stream.ts'

export type AnthropicCompat = {
  createMessage: CompatCall
  countTokens: CompatCall
  models(): object
}

type Deps = {
  catalogue: Catalogue
  generateText: GenerateText
  streamText: StreamText
  /** Counts with one vendor's tokenizer, so for the models of others it is an estimate. */
  countTokens(text: string): Promise<number>
}

const kinds = ['TEXT', 'CODE'] as const

export function createAnthropicCompat(deps: Deps): AnthropicCompat {
  const { catalogue } = deps
  const admitted = (asked: Omit<TextCall, 'principal'>) => {
    const { model } = chooseModel(catalogue, asked.modelId, kinds)
    const { capabilities } = model
    const call = { ...asked, modelId: model.id, ...cappedTokens(asked, capabilities) }
    checkCapabilities(capabilities, { ...call, images: countImages(call.messages) })
    return call
  }
  return {
    async createMessage(body, caller) {
      const { call: asked, isStream } = readMessagesRequest(body, { limit: 'required' })
      const { principal, signal, requestId } = caller
      const call = { ...admitted(asked), principal }
      if (!isStream) return { body: messageOf(await deps.generateText(call, { signal })) }
      return streamAnswer<MessageEvent>(deps.streamText(call, { signal }), caller, (begin) => ({
        write: createEventWriter(begin),
        line: namedEventLine,
        error: (failure) => errorAnswer(failure, requestId),
      }))
    },
    async countTokens(body) {
      const { call } = readMessagesRequest(body, { limit: 'optional' })
      const asked = admitted(call)
      const images = countImages(asked.messages)
      const counted = await deps.countTokens(wordsOf(asked))
      return { body: { input_tokens: counted + images * tokensPerImage } }
    },
    models: () => {
      const data = catalogue.models.filter(isOffered).map(modelAnswer)
      const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null]
      return { data, has_more: false, first_id, last_id }
    },
  }
}

/**
 * Every request must state a limit, so clients send the limit of Anthropic's own models. For a
 * model that cannot write as much, the model's own limit is used.
 */
const cappedTokens = (
  { maxTokens }: Pick<TextCall, 'maxTokens'>,
  { maxOutputTokens = Infinity }: Model['capabilities'],
): Pick<TextCall, 'maxTokens'> =>
  maxTokens === undefined ? {} : { maxTokens: Math.min(maxTokens, maxOutputTokens) }

/** About what Anthropic counts for a picture of one megapixel. */
const tokensPerImage = 1_400

/** All text of a call that a provider would count. */
function wordsOf({ systemPrompt = '', tools, messages }: Omit<TextCall, 'principal'>): string {
  const words = [systemPrompt, tools ? JSON.stringify(tools) : '']
  for (const message of messages) {
    words.push(
      message.role === 'tool' ? message.content : textOf(readContent(message.content ?? '')),
    )
    if ('toolCalls' in message) {
      for (const { name, arguments: written } of message.toolCalls) words.push(name, written)
    }
  }
  return words.join('\n')
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
