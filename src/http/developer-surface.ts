import { isSameOrigin } from '#auth/same-origin.ts'
import {
  type DeveloperContext,
  type DeveloperServices,
  developerPrefix,
} from '#developer/context.ts'
import type { Operation } from '#operations/operation.ts'
import type { Gate } from './api-surface.ts'
import type { Surface } from './mount.ts'

/** The developer area: callers are identified by their session cookie and by nothing else. */
export function developerSurface(
  services: DeveloperServices,
  operations: readonly Operation<DeveloperContext>[],
  countAddress: Gate['countAddress'],
): Surface<DeveloperContext> {
  return {
    prefix: developerPrefix,
    operations,
    async admit(_operation, request, reply) {
      reply.header('cache-control', 'no-store')
      const session = await services.sessions.resolve(request.headers.cookie)
      const refused = session ? null : countAddress(request.ip)
      if (refused) throw refused
      return {
        services,
        session,
        ipAddress: request.ip,
        isSameOrigin: isSameOrigin(
          request.headers as Record<string, string | undefined>,
          services.baseUrl,
        ),
      }
    },
  }
}
