// The console API: the session cookie identifies the caller. If the session has ended, a call
// waits until the person has signed in again and is then repeated once; a 401 means nothing was
// done.
import { ApiFailure } from './api-failure.ts'
import { waitForSignIn } from './ended-session.ts'
import { type Answered, type Call, exchange } from './exchange.ts'
import type { ConsoleCalls } from './types.ts'

export const consolePrefix = '/api/console/v1'

const isSessionEnd = (error: unknown): boolean =>
  error instanceof ApiFailure && error.status === 401 && error.code === 'AUTH_REQUIRED'

/** Called by path, returns the whole answer: for raw bodies, and for callers that need the ETag. */
export async function consoleExchange<T>(path: string, call?: Call): Promise<Answered<T>> {
  try {
    return await exchange<T>(consolePrefix + path, call)
  } catch (error) {
    if (!isSessionEnd(error)) throw error
    await waitForSignIn()
    return exchange<T>(consolePrefix + path, call)
  }
}

type ByRoute = { [Id in keyof ConsoleCalls as ConsoleCalls[Id]['route']]: ConsoleCalls[Id] }
export type ConsoleRoute = keyof ByRoute

/** A route's input: only the parts that it has, required only if something in them is. */
type Part<Name extends string, Type> = [Type] extends [undefined]
  ? unknown
  : Record<string, never> extends Type
    ? { [Key in Name]?: Type }
    : { [Key in Name]: Type }
export type ConsoleInput<Route extends ConsoleRoute> = Part<'params', ByRoute[Route]['params']> &
  Part<'query', ByRoute[Route]['query']> &
  Part<'body', ByRoute[Route]['body']> & { signal?: AbortSignal; headers?: Record<string, string> }

/**
 * One call, named by its route: `consoleCall('PUT /api-keys/{keyId}', { params: { keyId }, body
 * })`. Types come from the registry.
 */
export async function consoleCall<Route extends ConsoleRoute>(
  route: Route,
  ...[input]: Record<string, never> extends ConsoleInput<Route>
    ? [input?: ConsoleInput<Route>]
    : [input: ConsoleInput<Route>]
): Promise<ByRoute[Route]['data']> {
  const [method, template = ''] = route.split(' ')
  const given = (input ?? {}) as {
    params?: Record<string, string | number>
    query?: Call['query']
    body?: unknown
    signal?: AbortSignal
    headers?: Record<string, string>
  }
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(given.params?.[name] ?? '')),
  )
  const { params: _, ...call } = given
  const answer = await consoleExchange<ByRoute[Route]['data']>(path, {
    ...call,
    method: method as NonNullable<Call['method']>,
  })
  return answer.data
}
