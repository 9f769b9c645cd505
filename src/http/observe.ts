import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    startedAtMs: number
  }
}

export type RequestObserver = {
  /** Must call `next` to continue the request. Absent if nobody needs it. */
  began?(request: FastifyRequest, next: () => void): void
  finished(operationId: string, status: number, elapsedMs: number, request: FastifyRequest): void
  failed(error: unknown, requestId: string): void
}

/**
 * Called when the response is handed to the socket. Waiting until it is fully sent would cost a
 * listener per request and tell us little more.
 */
export function observe(
  observer: RequestObserver,
  request: FastifyRequest,
  operationId: string,
  status: number,
) {
  observer.finished(operationId, status, performance.now() - request.startedAtMs, request)
}

type Admitted = {
  principal?: { accountId: string; keyId: string | null }
  session?: { accountId: string } | null
}

/** The admitted caller, by key or session; nulls before admission and on public routes. */
export function callerOf({ admitted }: FastifyRequest) {
  const { principal, session } = (admitted ?? {}) as Admitted
  const accountId = principal?.accountId ?? session?.accountId
  return { accountId: accountId || null, keyId: principal?.keyId ?? null }
}
