import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    startedAtMs: number
  }
}

export type RequestObserver = {
  finished(operationId: string, status: number, elapsedMs: number): void
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
  observer.finished(operationId, status, performance.now() - request.startedAtMs)
}
