// Turns operation definitions into routes. Checks run in the order the contract demands: the
// surface admits the caller before a byte of the body is read, then path, query and body are
// validated.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { etagOfText, isKnownTag } from '#api/etag.ts'
import type { KeptAnswers } from '#api/kept-answers.ts'
import { type Answer, type CallContext, changesNothing, type Operation } from '#api/operation.ts'
import { within } from '#core/deadline.ts'
import { Failure } from '#core/errors.ts'
import type { Principal } from '#core/principal.ts'
import { Stop, type StopSignal } from '#core/stop.ts'
import { answerOnce, hasKey, headerValues, keyOf, takesKey } from './answer-once.ts'
import { outcomeUnknown } from './failure-reply.ts'
import { observe, type RequestObserver } from './observe.ts'
import { defaultBodyLimitBytes } from './openapi/surfaces.ts'
import { compileInput } from './request-input.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    takesBody?: boolean
    /** Content types whose bodies are passed to the handler as a stream. */
    streams?: readonly string[]
    /** The handler gets the bytes themselves: a signature covers them before anything is parsed. */
    takesRaw?: boolean
    /** The handler reads the whole stream into memory. */
    buffersStream?: boolean
  }
  interface FastifyRequest {
    /** The operation behind the route; null for routes that are not operations. */
    operation: { id: string; repeatable: boolean; ifUnknown?: string } | null
    admitted: unknown
    /** How long admission took. It is deducted from the handler's time limit. */
    admissionMs: number
  }
}

export type Surface<Context extends object> = {
  prefix: string
  operations: readonly Operation<Context>[]
  /** Runs before the body is read; returns the context of an admitted caller, else throws. */
  admit(
    operation: Operation<Context>,
    request: FastifyRequest,
    reply: FastifyReply,
    /** Used in place of the Authorization header, if the credential is in another one. */
    authorization?: string,
  ): Context | Promise<Context>
  /**
   * The same caller as of now, for a request whose body took its time: they may have lost the right
   * meanwhile. Counts nothing again.
   */
  readmit(
    operation: Operation<Context>,
    request: FastifyRequest,
    admitted: Context,
    authorization?: string,
  ): Promise<Context>
}

type Handlers = {
  observer: RequestObserver
  limitMs: number
  /** Resolves once everything that handlers have read so far is on disk. */
  synced(): Promise<void> | undefined
  keptAnswers: KeptAnswers
}

export function mountSurface<Context extends object>(
  app: FastifyInstance,
  surface: Surface<Context>,
  { observer, limitMs, synced, keptAnswers }: Handlers,
) {
  for (const operation of surface.operations) {
    const readInput = compileInput(operation)
    const isReader = changesNothing(operation)
    const mayHaveKey = takesKey(operation)
    // Made once for each operation, not for each request.
    const finish = (request: FastifyRequest, reply: FastifyReply, settled: Answer) => {
      const status = send(request, reply, settled)
      observe(observer, request, operation.id, status)
    }
    app.route({
      method: operation.method,
      url: surface.prefix + operation.path.replace(/\{(\w+)\}/g, ':$1'),
      bodyLimit: operation.bodyLimitBytes ?? defaultBodyLimitBytes,
      config: {
        takesBody: operation.body !== undefined || operation.streams !== undefined,
        ...(operation.streams ? { streams: operation.streams } : {}),
      },
      onRequest: (request, reply, done) => {
        request.operation = operation
        admitBeforeBody(request, () => surface.admit(operation, request, reply), done)
      },
      preHandler: (request, _reply, done) => {
        if (!hasSlowBody(request)) return done()
        const admitted = request.admitted as Context
        readmit(request, surface.readmit(operation, request, admitted), done)
      },
      handler: (request, reply) => {
        const context = withCall(request.admitted as Context, request, reply)
        const answer =
          mayHaveKey && hasKey(request)
            ? handleOnce(operation, { request, context, readInput, keptAnswers })
            : operation.handle(context, readInput(request, context.headerValues))
        if (!(answer instanceof Promise)) return finish(request, reply, answer)
        if (operation.hasOwnTimeout) return void finishLater(answer, finish, request, reply)
        const remainingMs = limitMs - request.admissionMs
        const told = isReader ? answer : refusedOnceSynced(answer, synced)
        void finishLater(inTime(told, remainingMs, operation), finish, request, reply)
      },
    })
  }
}

type KeyedCall<Context> = {
  request: FastifyRequest
  context: Context & CallContext
  readInput: ReturnType<typeof compileInput>
  keptAnswers: KeptAnswers
}

function handleOnce<Context extends object>(
  operation: Operation<Context>,
  { request, context, readInput, keptAnswers }: KeyedCall<Context>,
): Promise<Answer> {
  keyOf(request)
  const input = readInput(request, context.headerValues)
  const { principal } = context as unknown as { principal: Principal }
  const { accountId } = principal
  return answerOnce(keptAnswers, { request, accountId, body: input.body }, () =>
    operation.handle({ ...context, signal: () => new Stop() }, input),
  )
}

/** Most callers are known, and then nothing is waited for. */
export function admitBeforeBody(
  request: FastifyRequest,
  admit: () => object | Promise<object>,
  done: (failure?: Error) => void,
) {
  try {
    const admitted = admit()
    if (admitted instanceof Promise) {
      admitted.then((context) => {
        request.admitted = context
        request.admissionMs = performance.now() - request.startedAtMs
        done()
      }, done)
    } else {
      request.admitted = admitted
      done()
    }
  } catch (failure) {
    done(failure as Error)
  }
}

/** A body that nobody holds back arrives sooner. */
const promptMs = 1_000

/**
 * A sender may take half a minute over the body. Whoever takes long is looked at again, so that a
 * request begun in time does nothing for somebody who was removed or signed out since.
 */
export const hasSlowBody = ({ startedAtMs, admissionMs }: FastifyRequest): boolean =>
  performance.now() - startedAtMs - admissionMs >= promptMs

export function readmit(
  request: FastifyRequest,
  admitted: Promise<object>,
  done: (failure?: Error) => void,
) {
  admitted.then((context) => {
    request.admitted = context
    done()
  }, done)
}

/** Sends the reply itself: a promise returned to Fastify would cost a second wait per request. */
async function finishLater(
  answer: Promise<Answer>,
  finish: (request: FastifyRequest, reply: FastifyReply, settled: Answer) => void,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  try {
    finish(request, reply, await answer)
  } catch (error) {
    sendError(reply, error)
  }
}

export const sendError = (reply: FastifyReply, error: unknown) =>
  void reply.send(error instanceof Error ? error : new Failure('INTERNAL_ERROR', { cause: error }))

/** A refusal may tell of what another request wrote: deleted, changed, already there. */
async function refusedOnceSynced(
  answer: Promise<Answer>,
  synced: Handlers['synced'],
): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    await synced()
    throw error
  }
}

const needsKey = ({ requestHeaders }: Operation<never>) =>
  requestHeaders?.['Idempotency-Key']?.required === true

/** Stops waiting for a handler that exceeds its time limit. The handler itself keeps running. */
function inTime(
  answer: Promise<Answer>,
  limitMs: number,
  operation: Operation<never>,
): Promise<Answer> {
  return within(Math.max(0, limitMs), answer, () => {
    const cause = new Error(`${operation.id} took longer than ${limitMs} ms`)
    const late = { cause, retryAfterSeconds: 1 }
    if (changesNothing(operation)) throw new Failure('SERVICE_UNAVAILABLE', late)
    if (!needsKey(operation)) throw outcomeUnknown(operation, cause)
    // With its key, the same request can be sent again whatever became of this one.
    const message = `The submission was not stored in time. ${operation.ifUnknown}`
    throw new Failure('SERVICE_UNAVAILABLE', { ...late, message })
  })
}

/** Returns the status that was sent. */
function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body }: Answer,
): number {
  reply.code(status)
  if (headers) reply.headers(headers)
  if (body === undefined || body instanceof Uint8Array) {
    reply.send(body)
    return status
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  if (status === 200 && isRead(request) && isKnown(request, reply, headers?.ETag, text)) {
    reply.code(304).send()
    return 304
  }
  if (!reply.hasHeader('content-type')) {
    reply.header('content-type', 'application/json; charset=utf-8')
  }
  reply.send(text)
  return status
}

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

/** Every read has an ETag: the one the operation sets, or else a hash of the response text. */
function isKnown(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  own: string | undefined,
  text: string,
): boolean {
  const etag = own ?? etagOfText(text)
  if (own === undefined) reply.header('ETag', etag)
  const given = headers['if-none-match']
  return given !== undefined && isKnownTag([given], etag)
}

/** The hot path allocates this one object per request and nothing else. */
function withCall<Context extends object>(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Context & CallContext {
  return {
    ...context,
    requestId: request.id,
    // Created on demand, because most operations never wait for anything that can be aborted.
    signal: () => stopWhenClosed(request, reply),
    headerValues: (name: string) => headerValues(request.raw.rawHeaders, name),
    ipAddress: request.ip,
  }
}

/** A signal that aborts if the caller leaves before the answer is complete. */
export function stopWhenClosed(request: FastifyRequest, reply: FastifyReply): StopSignal {
  const stop = new Stop()
  const { raw } = reply
  // `close` fires after every response. The caller hung up only if the response is unfinished.
  raw.on('close', () => {
    if (!raw.writableFinished) stop.abort(new Error('the caller disconnected'))
  })
  if (request.raw.socket.destroyed) stop.abort(new Error('the caller disconnected'))
  return stop
}
