import type { Method } from '#operations/operation.ts'

export type RouteAnswer = { status: number; headers: Record<string, string>; body: string }

/** One request to our own routes, which check it as if it had come over a socket. */
export type RouteCall = (call: {
  method: Method
  /** With the prefix of the API and the query. */
  path: string
  headers: Record<string, string>
  body?: string | undefined
  /** Of whoever asked: limits count by it. */
  address: string
  signal: AbortSignal
}) => Promise<RouteAnswer>

/** A route call with the caller already named. */
export type Ask = (
  call: Pick<Parameters<RouteCall>[0], 'method' | 'path' | 'headers' | 'body'>,
  signal: AbortSignal,
) => Promise<RouteAnswer>
