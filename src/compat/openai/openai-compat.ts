// The API as OpenAI's clients expect it, on the same models, limits and ledger as our own.
// Promises OpenAI's formats for answers, events and errors. Never silently ignores a parameter
// that would change the answer. Knows nothing of sockets or credentials.

import type { KeptResponses } from '#api/kept-responses.ts'
import type { MakeImages } from '#api/public/tasks/awaited-images.ts'
import type { SpeakText, Transcribe } from '#core/audio.ts'
import type { Catalogue, Model } from '#core/catalogue.ts'
import type { EmbedTexts } from '#core/embedding.ts'
import type { GenerateText, StreamText, TextCall } from '#core/generation.ts'
import {
  type CompatCall,
  type CompatCaller,
  type CompatFormCall,
  dataLine,
  modelsFor,
  offeredModel,
  streamAnswer,
} from '../compat-api.ts'
import { fitToModel } from '../fit-model.ts'
import type { CountTokens } from '../input-tokens.ts'
import { completionOf, createChunkWriter } from './chat-answer.ts'
import { readChatRequest } from './chat-request.ts'
import { answerEmbeddings } from './embeddings.ts'
import { errorAnswer } from './error-answer.ts'
import { answerEdit, answerGeneration } from './images.ts'
import { createResponses, type ResponsesCompat } from './responses.ts'
import { answerSpeech } from './speech.ts'
import { answerTranscription } from './transcriptions.ts'

export type OpenAiCompat = ResponsesCompat & {
  chat: CompatCall
  embed: CompatCall
  generateImage: CompatCall
  editImage: CompatFormCall
  speak: CompatCall
  transcribe: CompatFormCall
  models(caller: CompatCaller): object
  model(id: string, caller: CompatCaller): object
}

type Deps = {
  catalogue: Catalogue
  generateText: GenerateText
  streamText: StreamText
  embedTexts: EmbedTexts
  makeImages: MakeImages
  speakText: SpeakText
  transcribe: Transcribe
  countTokens: CountTokens
  keptResponses: KeptResponses
}

export function createOpenAiCompat(deps: Deps): OpenAiCompat {
  const { catalogue } = deps
  return {
    ...createResponses(deps),
    async chat(body, caller) {
      const { call: asked, isStream, includeUsage, forms } = readChatRequest(body)
      const call = admitted(catalogue, asked, caller)
      const { signal } = caller
      if (!isStream) {
        const generated = await deps.generateText(call, { signal })
        return { body: completionOf(generated, forms), attempts: generated.attempts }
      }
      return streamAnswer<object>(deps.streamText(call, { signal }), caller, (begin) => ({
        write: createChunkWriter(begin, { includeUsage, choices: call.choices ?? 1, forms }),
        line: dataLine,
        end: 'data: [DONE]\n\n',
        error: (failure) => [errorAnswer(failure)],
      }))
    },
    embed: (body, caller) => answerEmbeddings(deps, body, caller),
    generateImage: (body, caller) => answerGeneration(deps, body, caller),
    editImage: (form, caller) => answerEdit(deps, form, caller),
    speak: (body, caller) => answerSpeech(deps, body, caller),
    transcribe: (form, caller) => answerTranscription(deps, form, caller),
    models: (caller) => {
      const { models } = modelsFor(catalogue, caller)
      return { object: 'list', data: models.filter(isOffered).map(modelAnswer) }
    },
    model: (id, caller) => modelAnswer(offeredModel(modelsFor(catalogue, caller), id, isOffered)),
  }
}

/** The call with its caller, after checking that its model supports all of it. */
function admitted(
  catalogue: Catalogue,
  asked: Omit<TextCall, 'principal'>,
  caller: CompatCaller,
): TextCall {
  return { ...fitToModel(modelsFor(catalogue, caller), asked), principal: caller.principal }
}

/** This API cannot make videos. */
const isOffered = ({ kind }: Model): boolean => kind !== 'VIDEO'

/** The catalogue does not know when a model was created. */
const modelAnswer = ({ id, provider }: Model) => ({
  id,
  object: 'model',
  created: 0,
  owned_by: provider,
})
