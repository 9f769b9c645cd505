import type { Server } from 'node:http'
import { type Config, cidrMatcher } from '#config'
import { developerPrefix } from '#developer/context.ts'
import { developerOperations } from '#developer/registry.ts'
import { apiSurface } from '#http/api-surface.ts'
import { developerSurface } from '#http/developer-surface.ts'
import { fixedPaths, mountFixedRoutes } from '#http/fixed-routes.ts'
import { mountSurface } from '#http/mount.ts'
import type { RequestObserver } from '#http/observe.ts'
import { createPathTable } from '#http/path-table.ts'
import { createServer } from '#http/server.ts'
import type { MediaStore } from '#media/media-store.ts'
import { apiPrefix, type Services } from '#operations/context.ts'
import { operations } from '#operations/registry.ts'
import type { openIdentity } from './identity.ts'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'

type Serving = {
  config: Config
  port: number
  services: Services
  identity: Awaited<ReturnType<typeof openIdentity>>
  media: MediaStore
  log: Logger
  metrics: Metrics
}

/** The request side. Returns how to stop it: unready, newcomers turned away, the rest finished. */
export async function serve(parts: Serving): Promise<() => Promise<void>> {
  const { config, port, services, identity, media, log, metrics } = parts
  let isStopping = false
  const observer: RequestObserver = {
    finished: metrics.finished,
    failed: (err, requestId) => log.error({ err, requestId }, 'a request failed'),
  }
  const app = createServer({
    paths: createPathTable(
      [
        { prefix: apiPrefix, operations, access: 'bearer' },
        { prefix: developerPrefix, operations: developerOperations, access: 'session' },
      ],
      fixedPaths,
    ),
    allowedOrigins: new Set(config.ALLOWED_ORIGINS),
    trustProxy: config.TRUSTED_PROXIES.length === 0 ? false : cidrMatcher(config.TRUSTED_PROXIES),
    receiptTimeoutMs: config.RECEIPT_TIMEOUT_SECONDS * 1000,
    observer,
    isStopping: () => isStopping,
  })
  mountSurface(app, apiSurface(services, operations, identity.gate), observer)
  mountSurface(
    app,
    developerSurface(identity.developer, developerOperations, identity.gate.countAddress),
    observer,
  )
  mountFixedRoutes(app, {
    operations,
    baseUrl: services.baseUrl,
    jwks: identity.keyRing.jwks,
    media,
    checkReady: async () => {
      await services.db.query('select 1 as one')
    },
  })
  await app.listen({ host: config.HOST, port })
  return async () => {
    isStopping = true
    await drained(app.server, config.SHUTDOWN_SECONDS * 1000)
    app.server.closeAllConnections()
    await app.close()
  }
}

/** Keeps the port open while requests finish: newcomers get a 503 instead of a refused connection. */
async function drained(server: Server, limitMs: number): Promise<void> {
  server.closeIdleConnections()
  const deadline = Date.now() + limitMs
  const open = () =>
    new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count ?? 0)))
  while (Date.now() < deadline && (await open()) > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    server.closeIdleConnections()
  }
}
