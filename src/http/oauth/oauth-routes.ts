// The endpoints of the authorization server (docs/mcp.md). They speak OAuth, not the envelope of
// the API: errors are `{error, error_description}`. The page where a person decides is in
// `authorize-routes.ts`.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OAuthError } from '#auth/oauth/oauth-error.ts'
import { type Parameters, readParameters } from '#auth/oauth/parameters.ts'
import { oauthPaths, serverMetadata } from '#auth/oauth/server-metadata.ts'
import type { TokenEndpoint } from '#auth/oauth/tokens.ts'
import type { AccountLimit } from '#auth/rate-limit.ts'
import { toFailure } from '../failure-reply.ts'
import { observe, type RequestObserver } from '../observe.ts'
import type { KnownPath } from '../path-table.ts'
import { type AuthorizePage, mountAuthorizePage } from './authorize-routes.ts'
import { readUrlForm, urlFormType } from './url-form.ts'

const maxBodyBytes = 16 * 1024

/** Clients try several addresses, including those of OpenID and those with the path of /mcp. */
const metadataPaths = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/mcp',
  '/mcp/.well-known/openid-configuration',
]

export const oauthKnownPaths: KnownPath[] = [
  ...metadataPaths.map((path) => ({ path, methods: ['GET', 'HEAD'], isPublic: true })),
  // Open to pages of every origin, because they read no cookie.
  { path: oauthPaths.token, methods: ['POST'], isPublic: true },
  { path: oauthPaths.register, methods: ['POST'], isPublic: true },
  { path: oauthPaths.revoke, methods: ['POST'], isPublic: true },
  { path: oauthPaths.authorize, methods: ['GET', 'HEAD', 'POST'], isPublic: false },
]

export type OAuthRoutes = AuthorizePage & {
  tokens: TokenEndpoint
  /** Limits registrations per address. */
  registrations: AccountLimit
  observer: RequestObserver
}

export function mountOAuth(app: FastifyInstance, deps: OAuthRoutes) {
  const metadata = serverMetadata(deps.baseUrl)
  for (const path of metadataPaths) {
    app.get(path, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').send(metadata),
    )
  }
  mountAuthorizePage(app, deps)
  // A separate scope, so that failures before a handler are answered in OAuth's format too.
  void app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendError(deps, error, request, reply))
    mountPost(scope, deps, oauthPaths.token, 'oauthToken', async (request) =>
      deps.tokens.issue(await readFormParameters(request)),
    )
    mountPost(scope, deps, oauthPaths.revoke, 'oauthRevoke', async (request) => {
      await deps.tokens.revoke(await readFormParameters(request))
      return {}
    })
    mountRegistration(scope, deps)
  })
}

function mountPost(
  app: FastifyInstance,
  deps: OAuthRoutes,
  url: string,
  id: string,
  handle: (request: FastifyRequest) => Promise<object>,
) {
  app.post(url, {
    config: { streams: [urlFormType] },
    onRequest: (request, _reply, done) => {
      request.operation = { id, repeatable: false }
      done()
    },
    handler: async (request, reply) => {
      const answer = await handle(request)
      observe(deps.observer, request, id, 200)
      return reply.header('cache-control', 'no-store').send(answer)
    },
  })
}

/** RFC 7591: the answer states what was registered, which may differ from the request. */
function mountRegistration(app: FastifyInstance, deps: OAuthRoutes) {
  const id = 'oauthRegister'
  app.post(oauthPaths.register, {
    bodyLimit: maxBodyBytes,
    onRequest: (request, _reply, done) => {
      request.operation = { id, repeatable: false }
      const refused = deps.countAddress(request.ip)
      if (refused) return done(refused)
      try {
        deps.registrations.admit(request.ip)
        done()
      } catch (failure) {
        done(failure as Error)
      }
    },
    handler: async (request, reply) => {
      const client = await deps.clients.register(request.body)
      observe(deps.observer, request, id, 201)
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({
          client_id: client.id,
          client_name: client.name,
          redirect_uris: client.redirectUris,
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        })
    },
  })
}

const readFormParameters = async (request: FastifyRequest): Promise<Parameters> =>
  readParameters(await readUrlForm(request))

function sendError(
  { countAddress, observer }: OAuthRoutes,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  // A refused credential counts against its address, as everywhere.
  const shown = error instanceof OAuthError ? (countAddress(request.ip) ?? error) : error
  const refusal = shown instanceof OAuthError ? shown : fromFailure(shown, request, observer, reply)
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer realm="oauth"')
  observe(observer, request, request.operation?.id ?? 'oauth', refusal.status)
  return reply
    .code(refusal.status)
    .header('cache-control', 'no-store')
    .send({ error: refusal.code, error_description: refusal.message })
}

/** Failures that are not about OAuth: too large, too many, not ready, or our own fault. */
function fromFailure(
  error: unknown,
  request: FastifyRequest,
  observer: RequestObserver,
  reply: FastifyReply,
) {
  const failure = toFailure(error, { repeatable: false })
  const { status, message, headers, retryAfterSeconds } = failure
  if (status >= 500) observer.failed(failure.cause ?? failure, request.id)
  reply.headers(headers)
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  const isBusy = status === 429 || status === 503
  const code = isBusy ? 'temporarily_unavailable' : status >= 500 ? 'server_error' : null
  return { status, message, code: code ?? 'invalid_request' }
}
