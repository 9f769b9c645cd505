// The endpoints that Google's clients call. The method is the end of the address, after a colon,
// and the name of a model may contain slashes and colons, literal or percent-encoded.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createChatCompletion } from '#api/public/chat/create-chat-completion.ts'
import { apiPrefix } from '#api/public/context.ts'
import { listModels } from '#api/public/models/list-models.ts'
import { invalidCredential } from '#auth/bearer.ts'
import { Failure } from '#core/errors.ts'
import type { KnownPath } from '#http/path-table.ts'
import * as geminiErrors from '../gemini/error-answer.ts'
import type { GeminiCompat } from '../gemini/gemini-compat.ts'
import {
  type CompatDeps,
  type CompatRoute,
  maxChatBytes,
  mountCompatRoutes,
  mountNotOffered,
} from './mount-routes.ts'
import type { VendorForm } from './vendor-form.ts'

const prefix = '/v1beta'

export const googleForm: VendorForm = {
  // An empty line: Google's clients stumble over comments.
  ping: '\n',
  requestIdHeader: 'x-request-id',
  statusOf: geminiErrors.statusOf,
  bodyOf: geminiErrors.errorAnswer,
  headersOf: () => ({}),
}

/** What can be called, with its name in the metrics. */
const methods = {
  generateContent: 'geminiGenerateContent',
  streamGenerateContent: 'geminiStreamGenerateContent',
  countTokens: 'geminiCountTokens',
  embedContent: 'geminiEmbedContent',
  batchEmbedContents: 'geminiBatchEmbedContents',
} as const

type Method = keyof typeof methods

const isMethod = (name: string): name is Method => Object.hasOwn(methods, name)

const caches = 'Caches are not offered: vendors cache the beginning of a prompt themselves.'
const batches = 'Batches are not offered: send the requests one by one.'

/** Methods of models that Google has and this server has not. */
const noMethods: Record<string, string> = {
  batchGenerateContent: batches,
  asyncBatchEmbedContent: batches,
  createCachedContent:
    'Caches are not offered: vendors cache the beginning of a prompt themselves.',
  predict: `Pictures are made by the native API: POST ${apiPrefix}/images/generations.`,
  predictLongRunning: `Videos are made by the native API: POST ${apiPrefix}/videos/generations.`,
  bidiGenerateContent: 'The Live API is not offered: use streamGenerateContent.',
  generateAnswer: 'generateAnswer is not offered: use generateContent.',
}

const files = 'The Files API is not offered: send the data of a file in the request, as inlineData.'
const stores = 'Stores for files are not offered: send what the model should read in the request.'

/** The same for whole collections. */
const noCollections: Record<string, string> = {
  '/files': files,
  '/cachedContents': caches,
  '/batches': batches,
  '/tunedModels': 'Tuned models are not offered: GET /v1beta/models lists what there is.',
  '/fileSearchStores': stores,
  '/corpora': stores,
  '/interactions': 'The Interactions API is not offered: use generateContent.',
  '/auth_tokens': 'The Live API is not offered: use streamGenerateContent.',
}

const pathOf = ({ params }: FastifyRequest): string => (params as { '*': string })['*']

/** `test/model:generateContent`: what follows the last colon is the method. */
function targetOf(request: FastifyRequest): { modelId: string; name: string } {
  const path = pathOf(request)
  const colon = path.lastIndexOf(':')
  return colon < 0
    ? { modelId: path, name: '' }
    : { modelId: path.slice(0, colon), name: path.slice(colon + 1) }
}

const isEvents = ({ query }: FastifyRequest): boolean => (query as { alt?: unknown }).alt === 'sse'

const unknownMethod = (name: string): Failure =>
  new Failure('ROUTE_NOT_FOUND', {
    message:
      (Object.hasOwn(noMethods, name) && noMethods[name]) ||
      `Models have the methods ${Object.keys(methods).join(', ')}; this address names none of them.`,
  })

type Gemini = () => Promise<GeminiCompat>

/** Google's newer clients call it under /v1. */
export const googleMethods = (gemini: Gemini): CompatRoute => ({
  method: 'POST',
  path: '/models/*',
  id: 'geminiMethod',
  idOf: (request) => {
    const { name } = targetOf(request)
    return isMethod(name) ? methods[name] : 'geminiMethod'
  },
  like: createChatCompletion,
  bodyLimitBytes: maxChatBytes,
  credentialOf: googleCredential,
  async handle(request, caller) {
    const { modelId, name } = targetOf(request)
    if (!isMethod(name)) throw unknownMethod(name)
    const { body } = request
    return (await gemini())[name]({ modelId, body, isEvents: isEvents(request) }, caller)
  },
})

const modelRoutes = (gemini: Gemini): CompatRoute[] => [
  {
    method: 'GET',
    path: '/models',
    id: 'geminiModels',
    like: listModels,
    credentialOf: googleCredential,
    handle: async ({ query }, caller) => ({
      body: (await gemini()).models(caller, query as object),
    }),
  },
  {
    method: 'GET',
    path: '/models/*',
    id: 'geminiModel',
    like: listModels,
    credentialOf: googleCredential,
    handle: async (request, caller) => ({
      body: (await gemini()).model(pathOf(request), caller),
    }),
  },
]

/** Google's clients name themselves, and whoever sends a key as they do is one. */
export const isOfGoogle = ({ headers, query }: FastifyRequest): boolean =>
  headers['x-goog-api-key'] !== undefined ||
  headers['x-goog-api-client'] !== undefined ||
  (query as { key?: unknown }).key !== undefined

/**
 * Google's clients send a key as x-goog-api-key or in the query. Credentials that differ are
 * refused, so that a proxy and this server can never read different ones from one request.
 */
export function googleCredential({ headers, query }: FastifyRequest): string | undefined {
  const { key } = query as { key?: string | string[] }
  const { 'x-goog-api-key': sent, authorization } = headers
  const given = [sent ?? [], key ?? []].flat().map((one) => `Bearer ${one}`)
  const [first] = given
  if (first === undefined) return undefined
  if (authorization !== undefined) given.push(authorization)
  if (given.every((one) => one === first)) return first
  throw invalidCredential('x-goog-api-key, key and Authorization differ')
}

const known = (path: string, ...methods: string[]): KnownPath => ({
  path: prefix + path,
  methods,
  isPublic: false,
})

export const v1betaPaths: KnownPath[] = [
  known('/models', 'GET', 'HEAD'),
  known('/models/{model*}', 'GET', 'HEAD', 'POST'),
]

export function mountV1betaRoutes(app: FastifyInstance, gemini: Gemini, deps: CompatDeps) {
  const offered = [googleMethods(gemini), ...modelRoutes(gemini)]
  mountUnder(app, prefix, offered, deps)
  // Clients send the bytes of files here.
  mountUnder(app, `/upload${prefix}`, [], deps)
}

function mountUnder(
  app: FastifyInstance,
  prefix: string,
  routes: readonly CompatRoute[],
  deps: CompatDeps,
) {
  app.register(
    async (room) => {
      room.setNotFoundHandler(() => {
        throw new Failure('ROUTE_NOT_FOUND')
      })
      mountCompatRoutes(room, routes, deps, googleForm)
      mountNotOffered(room, Object.keys(noCollections), (path) => noCollections[path])
    },
    { prefix },
  )
}
