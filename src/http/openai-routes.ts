// The endpoints that OpenAI's clients call. Authentication, limits and body rules are those of
// our own operations; only the shape of responses and errors differs.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '#core/errors.ts'
import type { Principal } from '#core/principal.ts'
import { errorAnswer, mayRepeatUnasked, statusOf } from '#openai-compat/error-answer.ts'
import type { OpenAiCompat } from '#openai-compat/openai-compat.ts'
import { createChatCompletion } from '#operations/chat/create-chat-completion.ts'
import type { Context } from '#operations/context.ts'
import { listModels } from '#operations/models/list-models.ts'
import type { Operation } from '#operations/operation.ts'
import { toFailure } from './failure-reply.ts'
import type { Surface } from './mount.ts'
import { observe, type RequestObserver } from './observe.ts'
import type { KnownPath } from './path-table.ts'

const prefix = '/v1'

export const openAiPaths: KnownPath[] = [
  { path: `${prefix}/chat/completions`, methods: ['POST'], isPublic: false },
  { path: `${prefix}/models`, methods: ['GET', 'HEAD'], isPublic: false },
  { path: `${prefix}/models/{id}`, methods: ['GET', 'HEAD'], isPublic: false },
]

export type OpenAiRoutes = {
  openAi: OpenAiCompat
  admit: Surface<Context>['admit']
  /** A stream whose socket is idle for this long is closed. Must exceed any call's time limit. */
  stallMs: number
  observer: RequestObserver
}

export function mountOpenAiRoutes(app: FastifyInstance, deps: OpenAiRoutes) {
  const { openAi, admit, observer } = deps
  const guarded = (id: string, like: Operation<Context>) => ({
    config: { takesBody: like.body !== undefined },
    ...(like.bodyLimitBytes === undefined ? {} : { bodyLimit: like.bodyLimitBytes }),
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      request.operation = { id, repeatable: like.repeatable }
      request.admitted = await admit(like, request, reply)
    },
  })
  app.register(
    async (v1) => {
      v1.setErrorHandler((error, request, reply) => refuse(error, request, reply, observer))
      v1.setNotFoundHandler(() => {
        throw new Failure('ROUTE_NOT_FOUND')
      })
      v1.post(
        '/chat/completions',
        guarded('openAiChatCompletion', createChatCompletion),
        (request, reply) => answerChat(request, reply, deps),
      )
      v1.get('/models', guarded('openAiModels', listModels), (request, reply) => {
        observe(observer, request, 'openAiModels', 200)
        return reply.send(openAi.models())
      })
      // A model name may contain slashes, literal or percent-encoded.
      v1.get<{ Params: { '*': string } }>(
        '/models/*',
        guarded('openAiModel', listModels),
        (request, reply) => {
          const model = openAi.model(request.params['*'])
          observe(observer, request, 'openAiModel', 200)
          return reply.send(model)
        },
      )
    },
    { prefix },
  )
}

async function answerChat(
  request: FastifyRequest,
  reply: FastifyReply,
  { openAi, observer, stallMs }: OpenAiRoutes,
) {
  const disconnected = new AbortController()
  const onClose = () => {
    if (!reply.raw.writableFinished) disconnected.abort(new Error('the caller disconnected'))
  }
  reply.raw.once('close', onClose)
  if (request.raw.socket.destroyed) onClose()
  const answer = await openAi.chat(request.body, {
    principal: (request.admitted as { principal: Principal }).principal,
    signal: disconnected.signal,
    toFailure: (error) => {
      const failure = toFailure(error, { repeatable: false })
      if (failure.status >= 500 && !disconnected.signal.aborted)
        observer.failed(failure.cause ?? failure, request.id)
      return failure
    },
  })
  reply.raw.once('finish', () => observe(observer, request, 'openAiChatCompletion', 200))
  if ('completion' in answer) return reply.send(answer.completion)
  reply.raw.setTimeout(stallMs, () => void reply.raw.destroy())
  return reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('x-accel-buffering', 'no')
    .send(Readable.from(answer.chunks, { objectMode: true, highWaterMark: 1 }))
}

function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  observer: RequestObserver,
) {
  const { operation } = request
  const failure = toFailure(error, operation ?? { repeatable: true })
  const status = statusOf(failure)
  if (status >= 500 && !request.raw.socket.destroyed)
    observer.failed(failure.cause ?? failure, request.id)
  if (operation) observe(observer, request, operation.id, status)
  if (failure.retryAfterSeconds !== undefined)
    reply.header('retry-after', failure.retryAfterSeconds)
  return reply
    .headers(failure.headers)
    .header('x-should-retry', String(mayRepeatUnasked(failure)))
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(errorAnswer(failure)))
}
