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

/** Called when the answer is handed to the socket: a hook on its end would cost more than it tells. */
export function observe(
  observer: RequestObserver,
  request: FastifyRequest,
  operationId: string,
  status: number,
) {
  observer.finished(operationId, status, performance.now() - request.startedAtMs)
}
