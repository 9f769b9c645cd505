import type { Method } from '#api/operation.ts'

export type RouteAnswer = { status: number; headers: Record<string, string>; body: string }

/** Sends one request to our own routes, which check it as if it had come over the network. */
export type RouteCall = (call: {
  method: Method
  /** Includes the prefix of the API and the query. */
  path: string
  headers: Record<string, string>
  body?: string | undefined
  /** The IP address of the caller, for the rate limits. */
  address: string
  signal: AbortSignal
}) => Promise<RouteAnswer>

/** A route call on behalf of a fixed caller. */
export type Ask = (
  call: Pick<Parameters<RouteCall>[0], 'method' | 'path' | 'headers' | 'body'>,
  signal: AbortSignal,
) => Promise<RouteAnswer>
