import type { FastifyReply } from 'fastify'
import {
  type ConsoleContext,
  type ConsoleOperation,
  type ConsoleServices,
  consolePrefix,
} from '#api/console/context.ts'
import { isSameOrigin } from '#auth/same-origin.ts'
import type { Principal } from '#core/principal.ts'
import { developerScope, type KeyScope } from '#core/scopes.ts'
import { counted, type Gate } from './api-surface.ts'
import type { Surface } from './mount.ts'

/**
 * The console API: people are identified by their session cookie. Operations that take keys also
 * accept an API key with the scope for it; others never read the Authorization header.
 */
export function consoleSurface(
  services: ConsoleServices,
  operations: readonly ConsoleOperation[],
  gate: Gate,
): Surface<ConsoleContext> {
  const forKeys = new Map(
    operations.filter(({ takesKeys }) => takesKeys).map(({ id, keyScope }) => [id, keyScope]),
  )
  const surface: Surface<ConsoleContext> = {
    prefix: consolePrefix,
    operations,
    async admit(operation, request, reply) {
      reply.header('cache-control', 'no-store')
      const { authorization, cookie } = request.headers
      const { ip: ipAddress } = request
      const readmitted = operation.streams && {
        readmitted: () => surface.readmit(operation, request, request.admitted as ConsoleContext),
      }
      const scope = forKeys.get(operation.id)
      if (authorization !== undefined && scope !== undefined) {
        const key = await admitKey(gate, { authorization, scope, ipAddress }, reply)
        // Browsers never add this header by themselves, so the origin does not matter.
        return { services, session: null, key, ipAddress, isSameOrigin: true, ...readmitted }
      }
      const session = await services.sessions.resolve(cookie)
      const refused = session ? null : gate.countAddress(ipAddress)
      if (refused) throw refused
      return {
        services,
        session,
        key: null,
        ipAddress,
        ...(session ? {} : { uncount: () => gate.uncountAddress(ipAddress) }),
        ...readmitted,
        isSameOrigin: isSameOrigin(
          request.headers as Record<string, string | undefined>,
          services.baseUrl,
        ),
      }
    },
    async readmit(operation, { headers: { authorization, cookie } }, admitted) {
      if (admitted.session) return { ...admitted, session: await services.sessions.resolve(cookie) }
      const scope = forKeys.get(operation.id)
      if (!admitted.key || scope === undefined) return admitted
      const key = await gate.verify(authorization)
      requireKeyScope(gate, key, scope)
      return { ...admitted, key }
    },
  }
  return surface
}

/** Tokens never have the scope `developer`, and no other lets them in. */
function requireKeyScope(gate: Gate, principal: Principal, scope: KeyScope) {
  const isEnough = principal.keyId !== null && principal.scopes.has(scope)
  if (!isEnough) gate.requireScope(principal, developerScope)
}

async function admitKey(
  gate: Gate,
  {
    authorization,
    scope,
    ipAddress,
  }: { authorization: string; scope: KeyScope; ipAddress: string },
  reply: FastifyReply,
): Promise<Principal> {
  let principal: Principal
  try {
    principal = await gate.verify(authorization)
  } catch (failure) {
    throw counted(gate, ipAddress, failure)
  }
  requireKeyScope(gate, principal, scope)
  const count = gate.countAccount(principal, undefined)
  if (count) {
    reply.headers(count.headers)
    if (count.failure) throw count.failure
  }
  return principal
}
