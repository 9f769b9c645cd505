// Where others send the requests that start runs: POST /hooks/<token>. The address is a credential,
// so nothing of a session is read here.
import type { FastifyInstance } from 'fastify'
import type { Services } from '#api/public/context.ts'
import { acceptHook } from '#api/public/triggers/accept-hook.ts'
import { hookTrigger } from '#api/public/triggers/store-trigger.ts'
import type { AccountLimit } from '#auth/rate-limit.ts'
import { Failure } from '#core/errors.ts'
import type { Gate } from './api-surface.ts'
import { admitBeforeBody, hasSlowBody } from './mount.ts'
import { observe, type RequestObserver } from './observe.ts'
import type { KnownPath } from './path-table.ts'
import { readRawBody } from './raw-body.ts'
import { parseStrictJson } from './strict-json.ts'

export const hookPath: KnownPath = { path: '/hooks/{token}', methods: ['POST'], isPublic: false }

export type HookRoutes = {
  services: Services
  /** Counts by trigger, whoever calls; null if that is not limited. */
  perTrigger: AccountLimit | null
  countAddress: Gate['countAddress']
  observer: RequestObserver
}

const maxBytes = 1024 * 1024
const operation = { id: 'fireHook', repeatable: true }

export function mountHooks(app: FastifyInstance, deps: HookRoutes) {
  app.post<{ Params: { token: string } }>('/hooks/:token', {
    bodyLimit: maxBytes,
    config: { takesRaw: true },
    onRequest: (request, reply, done) => {
      request.operation = operation
      reply.header('cache-control', 'no-store')
      admitBeforeBody(request, () => admit(deps, request.params.token, request.ip), done)
    },
    handler: async (request, reply) => {
      const { services } = deps
      const sent = await readRawBody(request, maxBytes)
      const { trigger } = hasSlowBody(request)
        ? { trigger: existing(await hookTrigger(services, request.params.token)) }
        : (request.admitted as Awaited<ReturnType<typeof admit>>)
      const { status, body } = await acceptHook(services, trigger, {
        body: sent,
        headers: request.headers,
        query: request.query as Record<string, unknown>,
        parseJson: parseStrictJson,
      })
      observe(deps.observer, request, operation.id, status)
      return reply.code(status).send(body)
    },
  })
}

/** Before a byte of the body is read. Guesses count against the address they come from. */
async function admit(
  { services, perTrigger, countAddress }: HookRoutes,
  token: string,
  ipAddress: string,
) {
  const trigger = await hookTrigger(services, token)
  if (!trigger) throw countAddress(ipAddress) ?? new Failure('TRIGGER_NOT_FOUND')
  perTrigger?.admit(trigger.id)
  return { trigger: existing(trigger) }
}

function existing(trigger: Awaited<ReturnType<typeof hookTrigger>>) {
  if (!trigger) throw new Failure('TRIGGER_NOT_FOUND')
  if (trigger.deleted_at !== null) throw new Failure('TRIGGER_GONE')
  return trigger
}
