import type { FastifyInstance } from 'fastify'
import { mountMcp } from '#agents/mcp/mcp-route.ts'
import { apiVersion } from '#api/public/context.ts'
import { operations } from '#api/public/registry.ts'
import type { Config } from '#config'
import { type Clock, delay } from '#core/clock.ts'
import { loadOnce } from '#core/once.ts'
import type { Gate } from '#http/api-surface.ts'
import type { RequestObserver } from '#http/observe.ts'

// Room for the JSON-RPC envelope around the body of an operation.
const envelopeBytes = 64 * 1024

/** Serves the tools over MCP. Each call is answered by a route of the same server. */
export function openMcp(
  app: FastifyInstance,
  deps: {
    config: Config
    baseUrl: string
    clock: Clock
    gate: Gate
    authorizationServers: string[]
    observer: RequestObserver
    isStopping(): boolean
  },
) {
  const { config, baseUrl, clock, gate, authorizationServers, observer, isStopping } = deps
  // Loaded on the first request, because the library takes 100 ms and 30 MB.
  const served = loadOnce(async () => {
    const { createMcp } = await import('#agents/mcp/mcp.ts')
    const { toolList } = await import('#agents/tools/tool-list.ts')
    const { callOwnRoutes } = await import('#agents/mcp/own-routes.ts')
    return createMcp({
      tools: toolList(operations),
      version: apiVersion,
      callRoute: callOwnRoutes(app.server),
      retentionMs: config.RETENTION_DAYS * 86_400_000,
      time: { nowMs: () => clock.nowMs(), wait: delay, isStopping },
      onError: observer.failed,
    })
  })
  mountMcp(app, {
    baseUrl,
    gate,
    observer,
    allowedOrigins: new Set(config.ALLOWED_ORIGINS),
    bodyLimitBytes:
      Math.max(...operations.map((one) => (one.tool && one.bodyLimitBytes) ?? 0)) + envelopeBytes,
    authorizationServers,
    serveMcp: async (...call) => (await served())(...call),
  })
}
