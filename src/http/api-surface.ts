import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '#api/operation.ts'
import { apiPrefix, type Context, type Services } from '#api/public/context.ts'
import type { RateDecision, RateLeft } from '#auth/rate-limit.ts'
import { isTag, tagHeaderName } from '#core/budgets.ts'
import { Failure, isCallersFault } from '#core/errors.ts'
import type { Principal } from '#core/principal.ts'
import type { KeyScope } from '#core/scopes.ts'
import type { Surface } from './mount.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where no limit is set. */
    rateLeft: RateLeft | null
  }
}

/** Authenticates callers and enforces their rate limits. */
export type Gate = {
  verify(authorization: string | undefined): Principal | Promise<Principal>
  requireScope(principal: Principal, scope: KeyScope): void
  /** Counts one unauthenticated request and returns a Failure if the address is over its limit. */
  countAddress(ipAddress: string): Failure | null
  /** Takes that back. */
  uncountAddress(ipAddress: string): void
  countAccount(principal: Principal, rate: Operation<Context>['rate']): RateDecision | null
  /** Counts the items an admitted request asks for beyond the first; null if it stays admitted. */
  countMore(
    principal: Principal,
    rate: NonNullable<Operation<Context>['rate']>,
    more: number,
  ): { failure: Failure; most: number } | null
}

function tagged(principal: Principal, tag: string | string[]): Principal {
  if (typeof tag === 'string' && isTag(tag)) return { ...principal, tag, isTagSent: true }
  throw new Failure('TAG_INVALID', { details: { header: tagHeaderName } })
}

const anonymous: Principal = {
  accountId: '',
  userId: null,
  keyId: null,
  scopes: new Set(),
  limits: {},
  accountSpendPerMonthMicros: null,
}

/**
 * Counts a refused credential against its address. An error of ours is not counted: while the
 * database is away, every look-up fails, and callers must not be locked out once it is back.
 */
export const counted = (gate: Pick<Gate, 'countAddress'>, ip: string, error: unknown): unknown =>
  isCallersFault(error) ? (gate.countAddress(ip) ?? error) : error

/** The public API: bearer credentials, scopes, rate limits per account and per IP address. */
export function apiSurface(
  services: Services,
  operations: readonly Operation<Context>[],
  gate: Gate,
): Surface<Context> {
  const enter = (operation: Operation<Context>, principal: Principal, reply: FastifyReply) => {
    if (operation.scope !== 'public') gate.requireScope(principal, operation.scope)
    const count = gate.countAccount(principal, operation.rate)
    if (count) {
      reply.headers(count.headers)
      reply.request.rateLeft = count.left
      if (count.failure) throw count.failure
    }
    return contextOf(principal, reply.request)
  }
  const contextOf = (principal: Principal, { headers }: FastifyRequest): Context => {
    const tag = headers[tagHeaderName]
    return { services, principal: tag === undefined ? principal : tagged(principal, tag) }
  }
  return {
    prefix: apiPrefix,
    operations,
    admit(operation, request, reply, authorization = request.headers.authorization) {
      if (operation.scope === 'public') {
        const refused = gate.countAddress(request.ip)
        if (refused) throw refused
        return { services, principal: anonymous }
      }
      reply.header('cache-control', 'no-store')
      let principal: Principal | Promise<Principal>
      try {
        principal = gate.verify(authorization)
      } catch (failure) {
        throw counted(gate, request.ip, failure)
      }
      if (!(principal instanceof Promise)) return enter(operation, principal, reply)
      return principal.then(
        (verified) => enter(operation, verified, reply),
        (failure) => {
          throw counted(gate, request.ip, failure)
        },
      )
    },
    async readmit(operation, request, admitted, authorization = request.headers.authorization) {
      if (operation.scope === 'public') return admitted
      const principal = await gate.verify(authorization)
      gate.requireScope(principal, operation.scope)
      return contextOf(principal, request)
    },
  }
}
