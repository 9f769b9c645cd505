// The API as OpenAI's clients expect it, on the same models, limits and ledger as our own.
// Promises the shapes of chat completions, their chunks, models and errors. Never lets a parameter
// that would change the answer pass unheard, never knows of sockets or credentials.
import { imageUrlsOf, readContent } from '#core/chat-content.ts'
import { Failure } from '#core/errors.ts'
import type { CallMessage, GenerateText, StreamEvent, StreamText } from '#core/generation.ts'
import type { Principal } from '#core/principal.ts'
import { checkCapabilities, chooseModel } from '#operations/model-choice.ts'
import type { Catalogue, Model } from '#providers/catalogue.ts'
import { completionOf, createChunkWriter } from './chat-answer.ts'
import { readChatRequest } from './chat-request.ts'
import { errorAnswer } from './error-answer.ts'

/** `chunks`: lines of a text/event-stream. It fails only before its first. */
export type ChatAnswer = { completion: object } | { chunks: AsyncIterable<string> }

export type OpenAiCompat = {
  chat(
    body: unknown,
    caller: {
      principal: Principal
      signal: AbortSignal
      /** Told of what goes wrong after the first chunk; anything becomes a Failure. */
      toFailure(error: unknown): Failure
    },
  ): Promise<ChatAnswer>
  models(): object
  model(id: string): object
}

const kinds = ['TEXT', 'CODE'] as const

export function createOpenAiCompat(deps: {
  catalogue: Catalogue
  generateText: GenerateText
  streamText: StreamText
}): OpenAiCompat {
  const { catalogue, generateText, streamText } = deps
  return {
    async chat(body, { principal, signal, toFailure }) {
      const { call: asked, isStream, includeUsage } = readChatRequest(body)
      const { model } = chooseModel(catalogue, asked.modelId, kinds)
      checkCapabilities(model.capabilities, { ...asked, images: countImages(asked.messages) })
      const call = { ...asked, principal, modelId: model.id }
      if (!isStream) return { completion: completionOf(await generateText(call, { signal })) }
      const events = streamText(call, { signal })
      const first = await events.next()
      if (first.done || first.value.type !== 'begin') throw new Failure('INTERNAL_ERROR')
      const write = createChunkWriter(first.value, { includeUsage })
      return { chunks: linesOf(first.value, events, write, toFailure) }
    },
    models: () => ({
      object: 'list',
      data: catalogue.models.filter(isOffered).map(modelAnswer),
    }),
    model: (id) => {
      const model = catalogue.find(id)?.model
      if (model && isOffered(model)) return modelAnswer(model)
      throw new Failure('MODEL_NOT_FOUND', { details: { param: 'model' } })
    },
  }
}

async function* linesOf(
  first: StreamEvent,
  events: AsyncIterable<StreamEvent>,
  write: (event: StreamEvent) => object[],
  toFailure: (error: unknown) => Failure,
): AsyncGenerator<string, void, undefined> {
  const line = (value: object) => `data: ${JSON.stringify(value)}\n\n`
  try {
    for (const chunk of write(first)) yield line(chunk)
    for await (const event of events) for (const chunk of write(event)) yield line(chunk)
    yield 'data: [DONE]\n\n'
  } catch (error) {
    // The status is long sent: clients know an event with an error in it.
    yield line(errorAnswer(toFailure(error)))
  }
}

const isOffered = ({ kind }: Model): boolean => kind === 'TEXT' || kind === 'CODE'

/** When a model was made is not known here. */
const modelAnswer = ({ id, provider }: Model) => ({
  id,
  object: 'model',
  created: 0,
  owned_by: provider,
})

function countImages(messages: CallMessage[]): number {
  let count = 0
  for (const { content } of messages) {
    if (Array.isArray(content)) count += imageUrlsOf(readContent(content)).length
  }
  return count
}
