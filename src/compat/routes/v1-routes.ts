// The endpoints that the clients of OpenAI and of Anthropic call, and the newer ones of Google. All
// have theirs under /v1, with the models in common: there the headers say whose client it is.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createChatCompletion } from '#api/public/chat/create-chat-completion.ts'
import { listModels } from '#api/public/models/list-models.ts'
import { generateImage } from '#api/public/tasks/generate-image.ts'
import { invalidCredential } from '#auth/bearer.ts'
import { maxAudioBytes } from '#core/audio.ts'
import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { FormFields } from '#http/form-body.ts'
import type { KnownPath } from '#http/path-table.ts'
import type { AnthropicCompat } from '../anthropic/anthropic-compat.ts'
import * as anthropicErrors from '../anthropic/error-answer.ts'
import { type CompatCall, type CompatCaller, namedEventLine } from '../compat-api.ts'
import type { GeminiCompat } from '../gemini/gemini-compat.ts'
import {
  notOfferedOfAnthropic as ofAnthropic,
  notOfferedOfOpenAi as ofOpenAi,
} from '../not-offered.ts'
import * as openAiErrors from '../openai/error-answer.ts'
import type { OpenAiCompat } from '../openai/openai-compat.ts'
import {
  type CompatDeps,
  type CompatRoute,
  maxChatBytes,
  mountCompatRoutes,
  mountNotOffered,
} from './mount-routes.ts'
import { responsePaths, responseRoutes } from './response-routes.ts'
import { googleCredential, googleForm, googleMethods, isOfGoogle } from './v1beta-routes.ts'
import type { VendorForm } from './vendor-form.ts'

const prefix = '/v1'

/** The largest recording and the other fields of its form. */
const maxTranscriptionBytes = maxAudioBytes + 1024 * 1024

/** A few photographs. A task accepts at most 10 MiB per picture. */
const maxEditBytes = 16 * 1024 * 1024

/** Both vendors' clients retry failed requests by themselves unless this header forbids it. */
const retryHeader = (failure: Failure) => ({
  'x-should-retry': String(openAiErrors.mayRepeatUnasked(failure)),
})

const openAiForm: VendorForm = {
  ping: ': ping\n\n',
  requestIdHeader: 'x-request-id',
  statusOf: openAiErrors.statusOf,
  bodyOf: openAiErrors.errorAnswer,
  headersOf: retryHeader,
  rateHeaders: ({ quota, remaining, resetSeconds }) => ({
    'x-ratelimit-limit-requests': String(quota),
    'x-ratelimit-remaining-requests': String(remaining),
    'x-ratelimit-reset-requests': `${resetSeconds}s`,
  }),
}

const anthropicForm: VendorForm = {
  ping: namedEventLine({ type: 'ping' }),
  requestIdHeader: 'request-id',
  statusOf: anthropicErrors.statusOf,
  bodyOf: anthropicErrors.errorAnswer,
  headersOf: retryHeader,
  rateHeaders: ({ quota, remaining, resetsAtMs }) => ({
    'anthropic-ratelimit-requests-limit': String(quota),
    'anthropic-ratelimit-requests-remaining': String(remaining),
    'anthropic-ratelimit-requests-reset': toRfc3339(resetsAtMs),
  }),
}

/** Each is loaded on its first request. */
export type Compat = {
  openAi(): Promise<OpenAiCompat>
  anthropic(): Promise<AnthropicCompat>
  gemini(): Promise<GeminiCompat>
}

const post = <Api>(
  api: () => Promise<Api>,
  path: string,
  id: string,
  choose: (api: Api) => CompatCall,
): CompatRoute => ({
  method: 'POST',
  path,
  id,
  like: createChatCompletion,
  handle: async ({ body }, caller) => choose(await api())(body, caller),
})

/** A conversation, which may contain pictures. */
const chat = <Api>(...given: Parameters<typeof post<Api>>): CompatRoute => ({
  ...post(...given),
  bodyLimitBytes: maxChatBytes,
})

const openAiRoutes = ({ openAi }: Compat): CompatRoute[] => [
  chat(openAi, '/chat/completions', 'openAiChatCompletion', (api) => api.chat),
  ...responseRoutes(openAi),
  post(openAi, '/embeddings', 'openAiEmbeddings', ({ embed }) => embed),
  {
    ...post(openAi, '/images/generations', 'openAiImageGeneration', (api) => api.generateImage),
    like: generateImage,
  },
  {
    method: 'POST',
    path: '/images/edits',
    id: 'openAiImageEdit',
    like: generateImage,
    formLimitBytes: maxEditBytes,
    handle: async ({ body }, caller) => (await openAi()).editImage(body as FormFields, caller),
  },
  post(openAi, '/audio/speech', 'openAiSpeech', ({ speak }) => speak),
  {
    method: 'POST',
    path: '/audio/transcriptions',
    id: 'openAiTranscription',
    like: createChatCompletion,
    formLimitBytes: maxTranscriptionBytes,
    handle: async ({ body }, caller) => (await openAi()).transcribe(body as FormFields, caller),
  },
]

type ModelsApi = {
  models(caller: CompatCaller, query: object): object
  model(id: string, caller: CompatCaller): object
}

function modelRoutes({ openAi, anthropic, gemini }: Compat): CompatRoute[] {
  const apiFor = (request: FastifyRequest): Promise<ModelsApi> => {
    if (isOfAnthropic(request)) return anthropic()
    return isOfGoogle(request) ? gemini() : openAi()
  }
  const common = { method: 'GET', like: listModels, credentialOf: vendorCredential } as const
  return [
    {
      ...common,
      path: '/models',
      id: 'openAiModels',
      handle: async (request, caller) => ({
        body: (await apiFor(request)).models(caller, request.query as object),
      }),
    },
    {
      // A model name may contain slashes, literal or percent-encoded.
      ...common,
      path: '/models/*',
      id: 'openAiModel',
      handle: async (request, caller) => {
        const { '*': id } = request.params as { '*': string }
        return { body: (await apiFor(request)).model(id, caller) }
      },
    },
  ]
}

const anthropicRoutes = ({ anthropic }: Compat): CompatRoute[] =>
  [
    chat(anthropic, '/messages', 'anthropicMessage', ({ createMessage }) => createMessage),
    chat(anthropic, '/messages/count_tokens', 'anthropicTokenCount', (api) => api.countTokens),
  ].map((route) => ({ ...route, credentialOf: anthropicCredential }))

/** Every client of Anthropic names the version of the API; what people type has a key at least. */
const isOfAnthropic = ({ headers }: FastifyRequest): boolean =>
  headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined

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

function vendorCredential(request: FastifyRequest): string | undefined {
  if (isOfAnthropic(request)) return anthropicCredential(request)
  return isOfGoogle(request) ? googleCredential(request) : undefined
}

function vendorForm(request: FastifyRequest): VendorForm {
  const isBelowMessages = request.url.startsWith(`${prefix}/messages`)
  const [path = ''] = /^\/\w+/.exec(request.url.slice(prefix.length)) ?? []
  const isOwn = path in ofAnthropic && !(path in ofOpenAi)
  if (isBelowMessages || isOwn || isOfAnthropic(request)) return anthropicForm
  return isOfGoogle(request) ? googleForm : openAiForm
}

const known = (path: string, ...methods: string[]): KnownPath => ({
  path: prefix + path,
  methods,
  isPublic: false,
})

export const v1Paths: KnownPath[] = [
  known('/chat/completions', 'POST'),
  ...responsePaths.map((path) => known(...path)),
  known('/embeddings', 'POST'),
  known('/images/generations', 'POST'),
  known('/images/edits', 'POST'),
  known('/audio/speech', 'POST'),
  known('/audio/transcriptions', 'POST'),
  known('/messages', 'POST'),
  known('/messages/count_tokens', 'POST'),
  known('/models', 'GET', 'HEAD'),
  known('/models/{id*}', 'GET', 'HEAD', 'POST'),
]

export function mountV1Routes(app: FastifyInstance, compat: Compat, deps: CompatDeps) {
  app.register(
    async (v1) => {
      v1.setNotFoundHandler(() => {
        throw new Failure('ROUTE_NOT_FOUND')
      })
      const routes = [...openAiRoutes(compat), ...modelRoutes(compat)]
      mountCompatRoutes(v1, routes, deps, openAiForm, vendorForm)
      mountNotOffered(v1, Object.keys({ ...ofOpenAi, ...ofAnthropic }), (path, request) =>
        isOfAnthropic(request) || !(path in ofOpenAi) ? ofAnthropic[path] : ofOpenAi[path],
      )
    },
    { prefix },
  )
  const anthropic = anthropicRoutes(compat)
  app.register(async (v1) => mountCompatRoutes(v1, anthropic, deps, anthropicForm), { prefix })
  const google = [googleMethods(compat.gemini)]
  app.register(async (v1) => mountCompatRoutes(v1, google, deps, googleForm), { prefix })
}
