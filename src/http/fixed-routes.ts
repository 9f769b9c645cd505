import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { consolePrefix } from '#api/console/context.ts'
import type { Operation } from '#api/operation.ts'
import { apiPrefix } from '#api/public/context.ts'
import { within } from '#core/deadline.ts'
import { Failure } from '#core/errors.ts'
import { loadOnce } from '#core/once.ts'
import type { MediaStore } from '#media/media-store.ts'
import { serveMedia } from '#media/serve-media.ts'
import type { Thumbnails } from '#media/thumbnails/thumbnails.ts'
import type { Page } from './pages/page.ts'
import { sendPage } from './pages/send-page.ts'
import type { KnownPath } from './path-table.ts'

const fixed = (path: string): KnownPath => ({ path, methods: ['GET', 'HEAD'], isPublic: true })

/** Paths that are not operations, listed here for the 404 and CORS rules. */
export const fixedPaths: KnownPath[] = [
  fixed('/healthz'),
  fixed('/readyz'),
  fixed('/docs'),
  fixed('/docs/nodes'),
  fixed('/favicon.svg'),
  fixed('/favicon.ico'),
  fixed('/setup'),
  fixed('/.well-known/jwks.json'),
  fixed(`${apiPrefix}/openapi.json`),
  fixed(`${consolePrefix}/openapi.json`),
  fixed('/media/{id}'),
]

export type Readiness =
  | { status: 'ready'; media: 'available' | 'unavailable' }
  | { status: 'unready'; reason: string }

export type FixedRoutes = {
  operations: readonly Operation<never>[]
  consoleOperations: readonly Operation<never>[]
  baseUrl: string
  jwks(): object
  media: MediaStore
  thumbnails: Thumbnails
  /** Media must begin to be answered within this time. */
  limitMs: number
  /** Called if media broke off after their answer had begun. */
  failed(error: unknown, requestId: string): void
  /** Why no more requests should be sent here, or that none of this is the case. */
  readiness(): Promise<Readiness>
}

export function mountFixedRoutes(app: FastifyInstance, deps: FixedRoutes) {
  const { operations, consoleOperations, baseUrl } = deps

  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    const readiness = await deps.readiness()
    if (readiness.status === 'ready') return readiness
    const message = `Not ready: ${readiness.reason}.`
    throw new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, message })
  })
  mountFavicon(app)
  mountPage(app, '/docs', async () => {
    const { publicSurface, sessionSurface } = await import('./openapi/surfaces.ts')
    const { referencePage } = await import('./pages/reference-page.ts')
    const sections = [
      { surface: publicSurface, operations },
      { surface: sessionSurface, operations: consoleOperations },
    ]
    return referencePage(sections, baseUrl)
  })
  mountPage(app, '/docs/nodes', async () => (await import('./pages/nodes-page.ts')).nodesPage())
  mountPage(app, '/setup', async () => (await import('./pages/setup-page.ts')).setupPage())
  app.get('/.well-known/jwks.json', (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').send(deps.jwks()),
  )
  mountDescription(app, apiPrefix, async () => {
    const { publicSurface } = await import('./openapi/surfaces.ts')
    const { openApiDocument } = await import('./openapi/openapi.ts')
    return openApiDocument(publicSurface, operations, baseUrl)
  })
  mountDescription(app, consolePrefix, async () => {
    const { sessionSurface } = await import('./openapi/surfaces.ts')
    const { openApiDocument } = await import('./openapi/openapi.ts')
    return openApiDocument(sessionSurface, consoleOperations, baseUrl)
  })
  mountMedia(app, deps)
}

function mountMedia(
  app: FastifyInstance,
  { media: store, thumbnails, limitMs, failed }: FixedRoutes,
) {
  app.route<{ Params: { id: string } }>({
    // Fastify's automatic HEAD route would answer with Content-Length 0.
    method: ['GET', 'HEAD'],
    url: '/media/:id',
    handler: async (request, reply) => {
      const serving = serveMedia(
        { store, thumbnails },
        {
          method: request.method === 'HEAD' ? 'HEAD' : 'GET',
          headers: request.headers,
          id: request.params.id,
          query: request.query,
        },
      )
      const { status, headers, body } = await within(limitMs, serving, () => {
        serving.then(({ body }) => body?.destroy()).catch(() => {})
        const message = 'The media store does not answer.'
        throw new Failure('SERVICE_UNAVAILABLE', { message, retryAfterSeconds: 1 })
      })
      if (status === 404) {
        throw new Failure('ROUTE_NOT_FOUND', {
          message:
            'This media address is unknown or has expired. Read its task again for a new one.',
        })
      }
      // Before that, the error becomes the answer. After that, the connection is cut.
      body?.once('error', (error) => {
        if (reply.raw.headersSent && !request.raw.socket.destroyed) failed(error, request.id)
      })
      return reply.code(status).headers(headers).send(body)
    },
  })
}

// Pages and descriptions are made, and their code is loaded, when they are first requested, so
// that the start does not wait for them.

function mountDescription(app: FastifyInstance, prefix: string, describe: () => Promise<object>) {
  const text = loadOnce(async () => JSON.stringify(await describe()))
  app.get(`${prefix}/openapi.json`, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(await text()),
  )
}

function mountPage(app: FastifyInstance, path: string, make: () => Promise<Page>) {
  const page = loadOnce(make)
  app.get(path, async (_request, reply) => sendPage(reply, await page()))
}

/** Browsers request `/favicon.ico` on pages that declare no icon. */
function mountFavicon(app: FastifyInstance) {
  const icon = readFileSync(new URL('./pages/favicon.svg', import.meta.url))
  for (const path of ['/favicon.svg', '/favicon.ico']) {
    app.get(path, (_request, reply) =>
      reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(icon),
    )
  }
}
