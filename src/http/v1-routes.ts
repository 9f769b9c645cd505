// The endpoints that the clients of OpenAI and of Anthropic call. Both vendors have theirs under
// /v1, with one path in common: the list of models.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AnthropicCompat } from '#anthropic-compat/anthropic-compat.ts'
import * as anthropicErrors from '#anthropic-compat/error-answer.ts'
import { invalidCredential } from '#auth/bearer.ts'
import type { CompatCall } from '#core/compat-api.ts'
import { Failure } from '#core/errors.ts'
import * as openAiErrors from '#openai-compat/error-answer.ts'
import type { OpenAiCompat } from '#openai-compat/openai-compat.ts'
import { maxAudioBytes } from '#openai-compat/transcriptions.ts'
import { createChatCompletion } from '#operations/chat/create-chat-completion.ts'
import { listModels } from '#operations/models/list-models.ts'
import { generateImage } from '#operations/tasks/generate-image.ts'
import {
  type CompatDeps,
  type CompatRoute,
  mountCompatRoutes,
  type VendorForm,
} from './compat-routes.ts'
import { readForm } from './form-body.ts'
import type { KnownPath } from './path-table.ts'

const prefix = '/v1'

/** The longest recording, and its other fields. */
const maxTranscriptionBytes = maxAudioBytes + 1024 * 1024

/** A few photographs. One picture may have 10 MiB, which is the most a task takes. */
const maxEditBytes = 16 * 1024 * 1024

/** The clients of both vendors repeat failed requests by themselves unless this says no. */
const retryHeader = (failure: Failure) => ({
  'x-should-retry': String(openAiErrors.mayRepeatUnasked(failure)),
})

const openAiForm: VendorForm = {
  requestIdHeader: 'x-request-id',
  statusOf: openAiErrors.statusOf,
  bodyOf: openAiErrors.errorAnswer,
  headersOf: retryHeader,
}

const anthropicForm: VendorForm = {
  requestIdHeader: 'request-id',
  statusOf: anthropicErrors.statusOf,
  bodyOf: anthropicErrors.errorAnswer,
  headersOf: retryHeader,
}

type Compat = { openAi: OpenAiCompat; anthropic: AnthropicCompat }

const post = (path: string, id: string, call: CompatCall): CompatRoute => ({
  method: 'POST',
  path,
  id,
  like: createChatCompletion,
  handle: ({ body }, caller) => call(body, caller),
})

const openAiRoutes = ({ openAi, anthropic }: Compat): CompatRoute[] => [
  post('/chat/completions', 'openAiChatCompletion', openAi.chat),
  post('/responses', 'openAiResponse', openAi.respond),
  post('/embeddings', 'openAiEmbeddings', openAi.embed),
  {
    ...post('/images/generations', 'openAiImageGeneration', openAi.generateImage),
    like: generateImage,
  },
  {
    method: 'POST',
    path: '/images/edits',
    id: 'openAiImageEdit',
    like: generateImage,
    takesForm: true,
    handle: async (request, caller) =>
      openAi.editImage(await readForm(request, maxEditBytes), caller),
  },
  post('/audio/speech', 'openAiSpeech', openAi.speak),
  {
    method: 'POST',
    path: '/audio/transcriptions',
    id: 'openAiTranscription',
    like: createChatCompletion,
    takesForm: true,
    handle: async (request, caller) =>
      openAi.transcribe(await readForm(request, maxTranscriptionBytes), caller),
  },
  {
    method: 'GET',
    path: '/models',
    id: 'openAiModels',
    like: listModels,
    credentialOf: (request) => (isOfAnthropic(request) ? anthropicCredential(request) : undefined),
    handle: (request) => ({
      body: isOfAnthropic(request) ? anthropic.models() : openAi.models(),
    }),
  },
  {
    // A model name may contain slashes, literal or percent-encoded.
    method: 'GET',
    path: '/models/*',
    id: 'openAiModel',
    like: listModels,
    handle: ({ params }: FastifyRequest) => ({
      body: openAi.model((params as { '*': string })['*']),
    }),
  },
]

const anthropicRoutes = ({ anthropic }: Compat): CompatRoute[] =>
  [
    post('/messages', 'anthropicMessage', anthropic.createMessage),
    post('/messages/count_tokens', 'anthropicTokenCount', anthropic.countTokens),
  ].map((route) => ({ ...route, credentialOf: anthropicCredential }))

/** Every client of Anthropic names the version of the API. */
const isOfAnthropic = ({ headers }: FastifyRequest): boolean =>
  headers['anthropic-version'] !== undefined

/**
 * Anthropic's clients send an API key as x-api-key. Two credentials that differ are refused, so
 * that a proxy and this server can never read different ones from one request.
 */
function anthropicCredential({ headers }: FastifyRequest): string | undefined {
  const key = headers['x-api-key']
  if (key === undefined) return undefined
  const asBearer = `Bearer ${String(key)}`
  if (headers.authorization === undefined || headers.authorization === asBearer) return asBearer
  throw invalidCredential('x-api-key and Authorization differ')
}

const known = (path: string, ...methods: string[]): KnownPath => ({
  path: prefix + path,
  methods,
  isPublic: false,
})

export const v1Paths: KnownPath[] = [
  known('/chat/completions', 'POST'),
  known('/responses', 'POST'),
  known('/embeddings', 'POST'),
  known('/images/generations', 'POST'),
  known('/images/edits', 'POST'),
  known('/audio/speech', 'POST'),
  known('/audio/transcriptions', 'POST'),
  known('/messages', 'POST'),
  known('/messages/count_tokens', 'POST'),
  known('/models', 'GET', 'HEAD'),
  known('/models/{id}', 'GET', 'HEAD'),
]

export function mountV1Routes(app: FastifyInstance, compat: Compat, deps: CompatDeps) {
  app.register(
    async (v1) => {
      v1.setNotFoundHandler(() => {
        throw new Failure('ROUTE_NOT_FOUND')
      })
      mountCompatRoutes(v1, openAiRoutes(compat), deps, openAiForm)
    },
    { prefix },
  )
  app.register(async (v1) => mountCompatRoutes(v1, anthropicRoutes(compat), deps, anthropicForm), {
    prefix,
  })
}
