// One log entry per request, for operators who investigate something. It names the route instead of
// the address, which may hold an identifier or a token, and contains neither headers nor bodies.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from './observe.ts'

/** `errors`: requests answered with a status of 400 or above, and those whose caller left. */
export type RequestLogLevel = 'off' | 'errors' | 'all'

export type RequestEntry = {
  requestId: string
  method: string
  /** Null if no route matched. */
  route: string | null
  status: number
  /** Until the last byte of the answer was sent. */
  ms: number
  accountId: string | null
  keyId: string | null
  /** The caller left before the answer was complete. */
  isCutOff?: true
}

export type RequestLog = { level(): RequestLogLevel; write(entry: RequestEntry): void }

export function logWhenClosed(log: RequestLog, request: FastifyRequest, reply: FastifyReply) {
  const { raw } = reply
  // It is emitted once; `once` would add a wrapper that every request pays for.
  raw.on('close', () => {
    const isCutOff = !raw.writableFinished
    if (log.level() !== 'all' && raw.statusCode < 400 && !isCutOff) return
    log.write({
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: raw.statusCode,
      ms: Math.round(performance.now() - request.startedAtMs),
      ...callerOf(request),
      ...(isCutOff ? { isCutOff } : {}),
    })
  })
}
