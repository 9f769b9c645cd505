// Where machines answer runs that wait for a message: POST /callbacks/<token>. The address is the
// credential, so nothing of the session is read here and no log names the address.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '#api/public/context.ts'
import { acceptCallback } from '#api/public/waits/accept-callback.ts'
import type { AccountLimit } from '#auth/rate-limit.ts'
import { Failure } from '#core/errors.ts'
import type { Gate } from '../api-surface.ts'
import type { KnownPath } from '../path-table.ts'
import { readRawBody } from '../raw-body.ts'
import { parseStrictJson } from '../strict-json.ts'

export const callbackPath: KnownPath = {
  path: '/callbacks/{token}',
  methods: ['POST'],
  isPublic: false,
}

export type WaitRoutes = {
  services: Services
  /** Counts by token, whoever calls. */
  perToken: AccountLimit
  countAddress: Gate['countAddress']
}

const maxBytes = 1024 * 1024

export function mountCallbacks(app: FastifyInstance, deps: WaitRoutes) {
  app.post<{ Params: { token: string } }>('/callbacks/:token', {
    bodyLimit: maxBytes,
    config: { takesRaw: true },
    // Before a byte of the body is read.
    onRequest: (request, _reply, done) => {
      try {
        request.admitted = { waitId: waitOf(deps, 'callback', request) }
        done()
      } catch (failure) {
        done(failure as Error)
      }
    },
    handler: async (request, reply) => {
      const { waitId } = request.admitted as { waitId: string }
      const { isReplay } = await acceptCallback(deps.services, waitId, {
        headers: request.headers,
        body: await readRawBody(request, maxBytes),
        ipAddress: request.ip,
        parse: parseStrictJson,
      })
      return reply
        .header('cache-control', 'no-store')
        .send({ success: true, data: { accepted: true, idempotentReplay: isReplay } })
    },
  })
}

/** The wait that a token in the address is for. Guesses count against the address they come from. */
export function waitOf(
  { services, perToken, countAddress }: WaitRoutes,
  use: 'link' | 'callback',
  request: FastifyRequest,
): string {
  const { token } = request.params as { token: string }
  const waitId = services.waits.tokens.read(use, token)
  if (waitId === null) throw countAddress(request.ip) ?? new Failure('WAIT_NOT_FOUND')
  perToken.admit(waitId)
  return waitId
}
