// The addresses OpenAI's clients call. Admission, limits and body rules are those of our own
// operations; only the shape of answers differs, errors included.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '#core/errors.ts'
import type { Principal } from '#core/principal.ts'
import type { OpenAiDoor } from '#openai-door/door.ts'
import { errorAnswer, mayRepeatUnasked, statusOf } from '#openai-door/error-answer.ts'
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
  door: OpenAiDoor
  admit: Surface<Context>['admit']
  /** A reader who takes nothing for this long is gone. Longer than any call may take. */
  stallMs: number
  observer: RequestObserver
}

export function mountOpenAiRoutes(app: FastifyInstance, parts: OpenAiRoutes) {
  const { door, admit, observer } = parts
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
        (request, reply) => answerChat(request, reply, parts),
      )
      v1.get('/models', guarded('openAiModels', listModels), (request, reply) => {
        observe(observer, request, 'openAiModels', 200)
        return reply.send(door.models())
      })
      // A model's name may hold slashes, written out or encoded.
      v1.get<{ Params: { '*': string } }>(
        '/models/*',
        guarded('openAiModel', listModels),
        (request, reply) => {
          const model = door.model(request.params['*'])
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
  { door, observer, stallMs }: OpenAiRoutes,
) {
  const leaving = new AbortController()
  const leave = () => {
    if (!reply.raw.writableFinished) leaving.abort(new Error('the caller went away'))
  }
  reply.raw.once('close', leave)
  if (request.raw.socket.destroyed) leave()
  const answer = await door.chat(request.body, {
    principal: (request.admitted as { principal: Principal }).principal,
    signal: leaving.signal,
    toFailure: (error) => {
      const failure = toFailure(error, { repeatable: false })
      if (failure.status >= 500 && !leaving.signal.aborted)
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
