// The API as Google's clients expect it, on the same models, limits and ledger as our own.
// Promises Google's formats for content, streams, models and errors. Never silently ignores a
// field that would change the answer. Knows nothing of sockets or credentials.

import { chooseModel } from '#api/model-choice.ts'
import type { Catalogue } from '#core/catalogue.ts'
import type { EmbedTexts } from '#core/embedding.ts'
import { Failure } from '#core/errors.ts'
import type { GenerateText, StreamText } from '#core/generation.ts'
import {
  type CompatAnswer,
  type CompatCaller,
  dataLine,
  type EventForm,
  modelsFor,
  streamAnswer,
} from '../compat-api.ts'
import { fitToModel } from '../fit-model.ts'
import { type CountTokens, inputTokensOf } from '../input-tokens.ts'
import { embedMany, embedOne } from './embeddings.ts'
import { errorAnswer } from './error-answer.ts'
import { blockedAnswer, blockedPiece, contentAnswer, createPieceWriter } from './generate-answer.ts'
import { type Asked, readCountRequest, readGenerateRequest } from './generate-request.ts'
import { modelsAnswer, oneModelAnswer } from './models.ts'

export type GeminiCall = (
  asked: { modelId: string; body: unknown /** As events, not as a list. */; isEvents: boolean },
  caller: CompatCaller,
) => Promise<CompatAnswer>

export type GeminiCompat = {
  generateContent: GeminiCall
  streamGenerateContent: GeminiCall
  countTokens: GeminiCall
  embedContent: GeminiCall
  batchEmbedContents: GeminiCall
  models(caller: CompatCaller, query: object): object
  model(id: string, caller: CompatCaller): object
}

type Deps = {
  catalogue: Catalogue
  generateText: GenerateText
  streamText: StreamText
  embedTexts: EmbedTexts
  countTokens: CountTokens
}

export function createGeminiCompat(deps: Deps): GeminiCompat {
  const { catalogue } = deps
  return {
    async generateContent({ body, modelId }, caller) {
      const { principal, signal } = caller
      const asked = fitted(modelsFor(catalogue, caller), readGenerateRequest(body, modelId))
      const call = { ...asked, principal }
      try {
        const generated = await deps.generateText(call, { signal })
        return { body: contentAnswer(generated, call), attempts: generated.attempts }
      } catch (error) {
        return { body: blockedAnswer(asBlocked(error), modelId) }
      }
    },
    async streamGenerateContent({ body, modelId, isEvents }, caller) {
      const { principal, signal } = caller
      const asked = fitted(modelsFor(catalogue, caller), readGenerateRequest(body, modelId))
      const call = { ...asked, principal }
      const form = isEvents ? eventForm : listForm
      try {
        const answer = await streamAnswer<object>(
          deps.streamText(call, { signal }),
          caller,
          (begin) => ({ ...form(caller), write: createPieceWriter(begin, call) }),
        )
        return isEvents ? answer : asList(answer)
      } catch (error) {
        const blocked = blockedAnswer(asBlocked(error), modelId)
        return isEvents ? { events: onlyOne(dataLine(blocked)) } : { body: [blocked] }
      }
    },
    async countTokens({ body, modelId }, caller) {
      const asked = fitted(modelsFor(catalogue, caller), readCountRequest(body, modelId))
      return { body: { totalTokens: await inputTokensOf(asked, deps.countTokens) } }
    },
    embedContent: (asked, caller) => embedOne(deps, asked, caller),
    batchEmbedContents: (asked, caller) => embedMany(deps, asked, caller),
    models: (caller, query) => modelsAnswer(modelsFor(catalogue, caller), query),
    model: (id, caller) => oneModelAnswer(modelsFor(catalogue, caller), id),
  }
}

/** Google's clients send the same temperature and top-p to every model; some have only one. */
function fitted(catalogue: Catalogue, asked: Asked): Asked {
  if (asked.temperature === undefined && asked.topP === undefined) {
    return fitToModel(catalogue, asked)
  }
  const { model } = chooseModel(catalogue, asked.modelId, ['TEXT', 'CODE'])
  const { temperature, topP } = model.capabilities
  return fitToModel(catalogue, {
    ...asked,
    temperature: nearest(asked.temperature, temperature),
    topP: nearest(asked.topP, topP),
  })
}

const nearest = (asked: number | undefined, range: { min: number; max: number } | undefined) =>
  asked === undefined || !range ? asked : Math.min(Math.max(asked, range.min), range.max)

type LineForm = Omit<EventForm<object>, 'write'>

const failedPiece = (failure: Failure, requestId: string): object =>
  isBlocked(failure) ? blockedPiece(failure) : errorAnswer(failure, requestId)

const eventForm = ({ requestId }: CompatCaller): LineForm => ({
  line: dataLine,
  error: (failure) => [failedPiece(failure, requestId)],
})

/** A list, sent entry by entry. */
function listForm({ requestId }: CompatCaller): LineForm {
  let before = '['
  let after = ''
  return {
    line: (piece) => {
      const text = `${before}${JSON.stringify(piece)}${after}`
      before = ',\r\n'
      return text
    },
    end: ']',
    error: (failure) => {
      after = ']'
      return [failedPiece(failure, requestId)]
    },
  }
}

async function* encoded(pieces: AsyncIterable<string>) {
  for await (const piece of pieces) yield Buffer.from(piece)
}

const asList = (answer: CompatAnswer): CompatAnswer =>
  'events' in answer
    ? { bytes: encoded(answer.events), contentType: 'application/json; charset=utf-8' }
    : answer

async function* onlyOne(line: string) {
  yield line
}

const isBlocked = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === 'CONTENT_REJECTED'

/** Throws every other error. */
function asBlocked(error: unknown): Failure {
  if (isBlocked(error)) return error
  throw error
}
