// Routes in another vendor's format. Authentication, limits and body rules are those of our own
// operations; only the shape of responses and errors differs.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KeptAnswers } from '#api/kept-answers.ts'
import type { Operation } from '#api/operation.ts'
import type { Context } from '#api/public/context.ts'
import { Failure } from '#core/errors.ts'
import type { Principal } from '#core/principal.ts'
import { attemptsHeaders } from '#core/route.ts'
import { Stop, type StopSignal } from '#core/stop.ts'
import { hasKey, keyOf, takesKey } from '#http/answer-once.ts'
import type { Gate } from '#http/api-surface.ts'
import { toFailure } from '#http/failure-reply.ts'
import { formType, readForm } from '#http/form-body.ts'
import {
  admitBeforeBody,
  hasSlowBody,
  readmit,
  type Surface,
  sendError,
  stopWhenClosed,
} from '#http/mount.ts'
import { observe, type RequestObserver } from '#http/observe.ts'
import type { CompatAnswer, CompatCaller } from '../compat-api.ts'
import { answerKeyed, contentTypeOf, isWhole, wholeText } from './keyed-answer.ts'
import { type SendOptions, sendPieces } from './send-pieces.ts'
import type { VendorForm } from './vendor-form.ts'

export type CompatDeps = SendOptions & {
  admit: Surface<Context>['admit']
  readmit: Surface<Context>['readmit']
  countMore: Gate['countMore']
  observer: RequestObserver
  keptAnswers: KeptAnswers
}

/**
 * Of a conversation. Its pictures may have 50 MiB together, which are 67 MiB in base64, beside some
 * text. Beyond 10 MiB it is admitted only while there is memory for it (http/body-memory.ts).
 */
export const maxChatBytes = 70 * 1024 * 1024

export type CompatRoute = {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** Its name in the metrics. */
  id: string
  /** The same, if the end of the address decides. */
  idOf?(request: FastifyRequest): string
  /** The operation whose scope, limits and body rules apply to it. */
  like: Operation<Context>
  bodyLimitBytes?: number
  /** The body is a form of at most so many bytes, and is handed to the handler as FormFields. */
  formLimitBytes?: number
  /** The credential, if it is not in the Authorization header. */
  credentialOf?(request: FastifyRequest): string | undefined
  handle(request: FastifyRequest, caller: CompatCaller): Promise<CompatAnswer> | CompatAnswer
}

export function mountCompatRoutes(
  app: FastifyInstance,
  routes: readonly CompatRoute[],
  deps: CompatDeps,
  form: VendorForm,
  /** Where clients of several vendors call the same addresses. */
  formFor: (request: FastifyRequest) => VendorForm = () => form,
) {
  app.setErrorHandler((error, request, reply) =>
    refuse(error, request, reply, deps.observer, formFor(request)),
  )
  const answering = { ...deps, formFor }
  for (const route of routes) {
    const { id, like } = route
    const operation = { id, repeatable: like.repeatable }
    const bodyLimit = route.bodyLimitBytes ?? like.bodyLimitBytes
    app.route({
      method: route.method,
      url: route.path,
      config: {
        takesBody: like.body !== undefined,
        ...(route.formLimitBytes ? { streams: [formType], buffersStream: true } : {}),
      },
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      onRequest: (request, reply, done) => {
        const { idOf } = route
        request.operation = idOf ? { ...operation, id: idOf(request) } : operation
        reply.header(formFor(request).requestIdHeader, request.id)
        const admit = () => deps.admit(like, request, reply, route.credentialOf?.(request))
        admitBeforeBody(request, admit, done)
      },
      preHandler: (request, _reply, done) =>
        hasSlowBody(request) ? readmit(request, admittedNow(request, route, deps), done) : done(),
      // Sends the reply itself: a promise returned to Fastify would cost a second wait per request.
      handler: (request, reply) => void answer(request, reply, route, answering),
    })
  }
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  route: CompatRoute,
  deps: CompatDeps & { formFor(request: FastifyRequest): VendorForm },
) {
  const id = request.operation?.id ?? route.id
  const form = deps.formFor(request)
  const { formLimitBytes } = route
  try {
    const isKeyed = takesKey(route.like) && hasKey(request)
    if (isKeyed) keyOf(request)
    if (formLimitBytes) {
      request.body = await readForm(request, formLimitBytes)
      if (hasSlowBody(request)) request.admitted = await admittedNow(request, route, deps)
    }
    const stop = isKeyed ? new Stop() : stopWhenClosed(request, reply)
    const handle = () => route.handle(request, callerOf(request, stop, route, deps))
    const answered = isKeyed
      ? await answerKeyed(deps.keptAnswers, { request, reply, form, headersOf, handle })
      : await handle()
    if (!answered) return observe(deps.observer, request, id, reply.statusCode)
    sendRate(request, reply, form)
    reply.headers(headersOf(answered))
    if (isWhole(answered)) {
      reply.send(wholeText(answered))
      observe(deps.observer, request, id, 200)
    } else {
      passedOn(request)
      reply.raw.on('finish', () => observe(deps.observer, request, id, 200))
      sendPieces(reply, answered, { ...deps, ping: form.ping })
    }
  } catch (error) {
    sendError(reply, error)
  }
}

const admittedNow = (request: FastifyRequest, route: CompatRoute, deps: CompatDeps) =>
  deps.readmit(route.like, request, request.admitted as Context, route.credentialOf?.(request))

const headersOf = (answered: CompatAnswer): Record<string, string> => ({
  'content-type': contentTypeOf(answered),
  ...(answered.notes?.length ? { [notesHeader]: notesText(answered.notes) } : {}),
  ...attemptsHeaders(answered.attempts),
})

function sendRate({ rateLeft }: FastifyRequest, reply: FastifyReply, { rateHeaders }: VendorForm) {
  if (rateLeft && rateHeaders) reply.headers(rateHeaders(rateLeft))
}

const notesHeader = 'x-atelier-notes'

/** Many proxies refuse longer headers. */
const maxNoteBytes = 1024

const notesText = (notes: readonly string[]): string =>
  [...new Set(notes)]
    .join('; ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, maxNoteBytes)

/** A provider has accepted the call. A stream may take long, and holds its body no longer. */
function passedOn(request: FastifyRequest) {
  request.body = undefined
  request.heldBody?.passedOn()
}

function callerOf(
  request: FastifyRequest,
  signal: StopSignal,
  { like }: CompatRoute,
  { observer, countMore }: CompatDeps,
): CompatCaller {
  const { principal } = request.admitted as { principal: Principal }
  return {
    principal,
    countMore: (more) => (like.rate && more > 0 ? countMore(principal, like.rate, more) : null),
    signal,
    requestId: request.id,
    toFailure: (error) => {
      const failure = toFailure(error, { repeatable: false })
      if (failure.status >= 500 && !signal.aborted)
        observer.failed(failure.cause ?? failure, request.id)
      return failure
    },
  }
}

function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  observer: RequestObserver,
  form: VendorForm,
) {
  const { statusOf, bodyOf, headersOf } = form
  const { operation } = request
  const failure = toFailure(error, operation ?? { repeatable: true })
  const status = statusOf(failure)
  if (status >= 500 && reply.raw.socket?.destroyed === false)
    observer.failed(failure.cause ?? failure, request.id)
  if (operation) observe(observer, request, operation.id, status)
  if (failure.retryAfterSeconds !== undefined)
    reply.header('retry-after', failure.retryAfterSeconds)
  sendRate(request, reply, form)
  return reply
    .headers({ ...failure.headers, ...headersOf(failure) })
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(bodyOf(failure, request.id)))
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Answers at addresses that the vendor has and this server has not, before anything else is
 * checked. A path stands for everything below it, too; with `/*`, only for that. Paths of one
 * segment share a route: routes of their own would take a sixth of the start.
 */
export function mountNotOffered(
  app: FastifyInstance,
  paths: readonly string[],
  messageOf: (path: string, request: FastifyRequest) => string | undefined,
) {
  const mount = (url: string, pathOf: (request: FastifyRequest) => string) =>
    app.route({
      method: methods,
      url,
      exposeHeadRoute: false,
      onRequest: (request) => {
        const message = messageOf(pathOf(request), request)
        throw new Failure('ROUTE_NOT_FOUND', message === undefined ? {} : { message })
      },
      handler: () => undefined,
    })
  const names = paths.flatMap((path) => /^\/(\w+)$/.exec(path)?.[1] ?? [])
  const oneOf = `/:name(^(?:${names.join('|')})$)`
  for (const url of names.length > 0 ? [oneOf, `${oneOf}/*`] : [])
    mount(url, ({ params }) => `/${(params as { name: string }).name}`)
  for (const path of paths.filter((path) => !names.includes(path.slice(1))))
    for (const url of path.endsWith('/*') ? [path] : [path, `${path}/*`]) mount(url, () => path)
}
