import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '#core/errors.ts'
import { scopes } from '#core/scopes.ts'
import { counted, type Gate } from '#http/api-surface.ts'
import { observe, type RequestObserver } from '#http/observe.ts'
import type { KnownPath } from '#http/path-table.ts'

const mcpPath = '/mcp'
const metadataPath = '/.well-known/oauth-protected-resource/mcp'
const operation = { id: 'mcp', repeatable: false }

export const mcpPaths: KnownPath[] = [
  { path: mcpPath, methods: ['POST'], isPublic: false },
  { path: metadataPath, methods: ['GET', 'HEAD'], isPublic: true },
]

type McpRoute = {
  baseUrl: string
  allowedOrigins: ReadonlySet<string>
  bodyLimitBytes: number
  /** This server first, which clients use, then the issuers whose tokens are accepted too. */
  authorizationServers: string[]
  gate: Pick<Gate, 'verify' | 'countAddress'>
  observer: RequestObserver
  serveMcp(
    request: Request,
    body: unknown,
    caller: {
      authorization: string
      address: string
      requestId: string
      withWorkflows: boolean
      withSchemas: boolean
    },
  ): Promise<Response>
}

/**
 * Authenticates callers as the API does. Each tool call is then sent through the route of its
 * operation, which checks scope and rate limits again.
 */
export function mountMcp(app: FastifyInstance, deps: McpRoute) {
  const { baseUrl, bodyLimitBytes: bodyLimit, authorizationServers, observer } = deps
  const metadata = {
    resource: baseUrl + mcpPath,
    resource_name: 'Atelier',
    authorization_servers: authorizationServers,
    bearer_methods_supported: ['header'],
    scopes_supported: scopes,
    resource_documentation: `${baseUrl}/docs`,
  }
  app.get(metadataPath, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').send(metadata),
  )
  app.options(mcpPath, answerPreflight)
  app.post(mcpPath, {
    bodyLimit,
    onRequest: async (request, reply) => {
      request.operation = operation
      await admit(deps, request, reply)
    },
    handler: async (request, reply) => {
      if (request.body === undefined) throw new Failure('INVALID_JSON')
      const query = request.query as Record<string, unknown>
      const response = await deps.serveMcp(toWebRequest(request, reply, baseUrl), request.body, {
        authorization: request.headers.authorization ?? '',
        address: request.ip,
        requestId: request.id,
        withWorkflows: query.workflows === '1',
        withSchemas: query.schemas === '1',
      })
      if (response.status >= 500) throw new Error(`the MCP library answered ${response.status}`)
      observe(observer, request, operation.id, response.status)
      return sendResponse(reply, response)
    },
  })
}

async function admit(
  { allowedOrigins, baseUrl, gate }: McpRoute,
  { headers: { origin, authorization }, ip }: FastifyRequest,
  reply: FastifyReply,
) {
  reply.header('cache-control', 'no-store')
  if (origin !== undefined && !allowedOrigins.has(origin) && origin !== new URL(baseUrl).origin) {
    throw new Failure('ORIGIN_NOT_ALLOWED')
  }
  try {
    await gate.verify(authorization)
  } catch (failure) {
    throw counted(gate, ip, withMetadata(failure, baseUrl + metadataPath))
  }
}

/** RFC 9728: the challenge names the metadata that lists the accepted issuers and scopes. */
function withMetadata(failure: unknown, url: string): unknown {
  if (!(failure instanceof Failure) || failure.status !== 401) return failure
  const { code, message, headers, cause } = failure
  const challenge = `${headers['www-authenticate']}, resource_metadata="${url}"`
  return new Failure(code, { message, cause, headers: { 'www-authenticate': challenge } })
}

const forwardedHeaders = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
] as const

function toWebRequest(request: FastifyRequest, { raw }: FastifyReply, baseUrl: string): Request {
  const gone = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort(new Error('the caller disconnected'))
  })
  const headers = new Headers()
  for (const name of forwardedHeaders) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  return new Request(baseUrl + mcpPath, { method: 'POST', headers, signal: gone.signal })
}

async function sendResponse(reply: FastifyReply, response: Response) {
  const contentType = response.headers.get('content-type')
  reply.code(response.status)
  if (contentType !== null) reply.header('content-type', contentType)
  if (response.body === null) return reply.send()
  if (!contentType?.startsWith('text/event-stream')) return reply.send(await response.text())
  // Without this header, nginx and similar proxies buffer the events until the stream ends.
  reply.header('x-accel-buffering', 'no')
  return reply.send(Readable.fromWeb(response.body as ReadableStream))
}

/** Lets browsers send the headers of MCP. The CORS hook has already checked the origin. */
function answerPreflight(_request: FastifyRequest, reply: FastifyReply) {
  if (reply.hasHeader('access-control-allow-origin')) {
    reply
      .header('access-control-allow-methods', 'POST')
      .header(
        'access-control-allow-headers',
        'Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, X-Request-Id',
      )
      .header('access-control-max-age', '600')
  }
  return reply.header('allow', 'POST').code(204).send()
}
