// The endpoints of OpenAI's Responses API: to make an answer, and to read and delete those kept.
import type { FastifyRequest } from 'fastify'
import { createChatCompletion } from '#api/public/chat/create-chat-completion.ts'
import { Failure } from '#core/errors.ts'
import type { CompatCall, CompatCaller } from '../compat-api.ts'
import type { OpenAiCompat } from '../openai/openai-compat.ts'
import { type CompatRoute, maxChatBytes } from './mount-routes.ts'

type Api = () => Promise<OpenAiCompat>

const asked = (
  api: Api,
  path: string,
  id: string,
  choose: (api: OpenAiCompat) => CompatCall,
): CompatRoute => ({
  method: 'POST',
  path,
  id,
  like: createChatCompletion,
  bodyLimitBytes: maxChatBytes,
  handle: async ({ body }, caller) => choose(await api())(body, caller),
})

/** Reading and deleting what is kept counts against the general limit only. */
const { body: _, rate: __, ...keptLike } = createChatCompletion

type OfResponse = (
  api: OpenAiCompat,
  id: string,
  caller: CompatCaller,
  request: FastifyRequest,
) => Promise<object>

const kept = (
  api: Api,
  [method, path]: ['GET' | 'DELETE', string],
  id: string,
  answer: OfResponse,
): CompatRoute => ({
  method,
  path,
  id,
  like: { ...keptLike, repeatable: true },
  handle: async (request, caller) => {
    const { id } = request.params as { id: string }
    return { body: await answer(await api(), id, caller, request) }
  },
})

export const responseRoutes = (api: Api): CompatRoute[] => [
  asked(api, '/responses', 'openAiResponse', ({ respond }) => respond),
  asked(api, '/responses/input_tokens', 'openAiTokenCount', ({ countInput }) => countInput),
  asked(api, '/responses/compact', 'openAiCompaction', () => async () => {
    throw new Failure('ROUTE_NOT_FOUND', {
      message:
        'Conversations are not compacted here: ask a model for a summary, and continue with that.',
    })
  }),
  kept(api, ['GET', '/responses/:id'], 'openAiKeptResponse', (open, id, caller, request) =>
    open.keptResponse(id, request.query as object, caller),
  ),
  kept(api, ['GET', '/responses/:id/input_items'], 'openAiKeptInput', (open, id, caller, request) =>
    open.keptInput(id, request.query as object, caller),
  ),
  kept(api, ['DELETE', '/responses/:id'], 'openAiResponseDeletion', (open, id, caller) =>
    open.deleteResponse(id, caller),
  ),
]

/** Below /v1, with their methods. */
export const responsePaths: [path: string, ...methods: string[]][] = [
  ['/responses', 'POST'],
  ['/responses/input_tokens', 'POST'],
  ['/responses/compact', 'POST'],
  ['/responses/{id}', 'GET', 'DELETE'],
  ['/responses/{id}/input_items', 'GET'],
]
