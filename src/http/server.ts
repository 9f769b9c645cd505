// The HTTP side of the service: one Fastify instance, one error shape, one order of checks.
// Holds no rules of single operations; those live in the registry.

import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { Failure } from '#core/errors.ts'
import { installBodyParsers } from './body-parsers.ts'
import { answerClientError, answerOddRequests } from './client-errors.ts'
import { answerPreflight, setCorsHeaders } from './cors.ts'
import { type Scarcity, tooMany, watchDescriptors } from './descriptors.ts'
import { newRequestId, sendFailure, toFailure } from './failure-reply.ts'
import { installLingeringClose } from './lingering-close.ts'
import { observe, type RequestObserver } from './observe.ts'
import { requestIdPattern } from './openapi/headers.ts'
import { isOwn } from './own-connections.ts'
import { failurePage, wantsPage } from './pages/failure-page.ts'
import { sendPage } from './pages/send-page.ts'
import type { PathTable } from './path-table.ts'
import { logWhenClosed, type RequestLog } from './request-log.ts'

const maxUrlLength = 8 * 1024
const maxHeaderBytes = 32 * 1024
const requestId = new RegExp(requestIdPattern)

/**
 * `draining`: requests are still served, but their connections close and no more are wanted.
 * `stopping`: new requests are answered with 503, except those that admitted ones make themselves.
 */
export type Phase = 'serving' | 'draining' | 'stopping'

export type ServerOptions = {
  paths: PathTable
  allowedOrigins: ReadonlySet<string>
  trustProxy: false | ((address: string) => boolean)
  receiptTimeoutMs: number
  observer: RequestObserver
  requestLog: RequestLog
  phase(): Phase
  /** How many files and connections the process may have open. */
  descriptorLimit: number
}

/**
 * Replaces the two schema compilers that Fastify would load, which takes a tenth of the start-up
 * time. The operations have their own validators, so no route has a schema.
 */
const unused = () => {
  throw new Error('no route of this server has a schema that Fastify compiles')
}

export function createServer(options: ServerOptions): FastifyInstance {
  const app = fastify({
    trustProxy: options.trustProxy,
    requestIdHeader: false,
    genReqId: (raw) => acceptedRequestId(raw.headers['x-request-id']) ?? newRequestId(),
    requestTimeout: options.receiptTimeoutMs,
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 2048 },
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    http: {
      maxHeaderSize: maxHeaderBytes,
      // Node ignores a request timeout that is shorter than the headers timeout.
      headersTimeout: options.receiptTimeoutMs,
      requestTimeout: options.receiptTimeoutMs,
      requireHostHeader: false,
      // Node would silently drop a second Authorization header. Joined, both are refused.
      joinDuplicateHeaders: true,
      connectionsCheckingInterval: Math.min(1000, options.receiptTimeoutMs),
    },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
      sendFailure(reply, toFailure(error, { repeatable: false }), request.id)
    },
  })
  answerOddRequests(app.server)
  installLingeringClose(app.server, { limitMs: options.receiptTimeoutMs })
  installBodyParsers(app)
  app.decorateRequest('operation', null)
  app.decorateRequest('startedAtMs', 0)
  app.decorateRequest('admissionMs', 0)
  app.decorateRequest('admitted', null)
  app.decorateRequest('rateLeft', null)
  const scarcity = watchDescriptors(app.server, options.descriptorLimit)
  installFirstHook(app, options, scarcity)
  const { began } = options.observer
  if (began) app.addHook('onRequest', (request, _, done) => began(request, done))
  installLastHook(app, options, scarcity)
  app.setErrorHandler((error, request, reply) => {
    const { operation } = request
    const failure = toFailure(error, operation ?? { repeatable: true })
    // A caller who disconnected caused the failure and will not read the response, so it is not
    // logged as an error of ours. A request whose body was not read to its end has no socket.
    const isConnected = reply.raw.socket?.destroyed === false
    if (failure.status >= 500 && isConnected)
      options.observer.failed(failure.cause ?? failure, request.id)
    if (!operation && asksForPage(request)) {
      sendPage(reply.code(failure.status), failurePage(failure, request.id))
    } else sendFailure(reply, failure, request.id)
    if (operation) observe(options.observer, request, operation.id, failure.status)
  })
  app.setNotFoundHandler(() => {
    throw new Failure('ROUTE_NOT_FOUND')
  })
  for (const { path, method, allow } of options.paths.shadowed) {
    app.route({
      method,
      url: path,
      exposeHeadRoute: false,
      onRequest: () => {
        throw new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: allow } })
      },
      handler: () => undefined,
    })
  }
  return app
}

function installFirstHook(
  app: FastifyInstance,
  { paths, phase, allowedOrigins, requestLog }: ServerOptions,
  scarcity: Scarcity,
) {
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAtMs = performance.now()
    if (requestLog.level() !== 'off') logWhenClosed(requestLog, request, reply)
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (phase() === 'stopping' && !isOwn(request.raw.socket)) {
      return done(
        new Failure('SERVICE_UNAVAILABLE', {
          message: 'The server is stopping.',
          retryAfterSeconds: 1,
        }),
      )
    }
    if (scarcity.isRefused(request.raw.socket) && !healthPaths.has(request.url))
      return done(tooMany())
    if (lacksHost(request)) {
      return done(new Failure('INVALID_REQUEST', { message: 'Send HTTP/1.1 with a Host header.' }))
    }
    if (request.url.length > maxUrlLength) return done(new Failure('URI_TOO_LONG'))
    if (request.headers.origin === undefined && !request.is404) return done()
    const known = paths.find(pathOf(request))
    const mayRead = setCorsHeaders(request, reply, {
      isPublic: known?.isPublic ?? false,
      allowedOrigins,
    })
    if (!request.is404) return done()
    if (!known) return done(new Failure('ROUTE_NOT_FOUND'))
    const allow = known.methods.join(', ')
    if (request.method === 'OPTIONS') {
      reply.header('Allow', allow)
      return mayRead ? void answerPreflight(reply, allow) : void reply.code(204).send()
    }
    done(new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: allow } }))
  })
}

/** Health checks of load balancers speak HTTP/1.0 without a Host header, which these answers need not. */
const healthPaths = new Set(['/healthz', '/readyz'])

const lacksHost = ({ headers, raw, url }: FastifyRequest): boolean =>
  raw.httpVersionMajor < 1 || (headers.host === undefined && !healthPaths.has(url))

const asksForPage = (request: FastifyRequest): boolean =>
  wantsPage({ method: request.method, path: request.url, accept: request.headers.accept })

// Reading a smaller body to its end costs less than making the client open a new connection.
const maxUnreadBytes = 64 * 1024

/**
 * A response that is ready before a large body was read goes out at once and closes the
 * connection, so the rest of the body need not be read.
 */
function installLastHook(app: FastifyInstance, { phase }: ServerOptions, scarcity: Scarcity) {
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    const isLast = phase() !== 'serving' || scarcity.isRefused(raw.socket)
    if (isLast || hasMuchUnread(raw)) reply.header('connection', 'close')
    done(null, payload)
  })
}

function hasMuchUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  const announced = Number(headers['content-length'] ?? 0)
  return announced > maxUnreadBytes || headers['transfer-encoding'] !== undefined
}

const pathOf = (request: FastifyRequest): string => {
  const query = request.url.indexOf('?')
  return query === -1 ? request.url : request.url.slice(0, query)
}

function acceptedRequestId(given: string | string[] | undefined): string | undefined {
  return typeof given === 'string' && requestId.test(given) ? given : undefined
}
