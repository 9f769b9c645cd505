// The public API, called with a short-lived token. After a 401 the token is renewed once.
import { accessToken, dropAccessToken } from './access-token.ts'
import { ApiFailure } from './api-failure.ts'
import { type Answered, type Call, exchange, failureOf } from './exchange.ts'

export const publicPrefix = '/api/ai-tools/v1'

/** The whole answer, for callers that need its status, ETag or headers. */
export async function publicExchange<T>(path: string, call: Call = {}): Promise<Answered<T>> {
  const attempt = async () =>
    exchange<T>(publicPrefix + path, {
      ...call,
      headers: { ...call.headers, authorization: `Bearer ${await accessToken()}` },
    })
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status !== 401) throw error
    dropAccessToken()
    return attempt()
  }
}

export const publicCall = async <T>(path: string, call?: Call): Promise<T> =>
  (await publicExchange<T>(path, call)).data

/** For bodies that are read as they arrive (OpenAI's streamed chat): any path, the raw response. */
export async function openStream(path: string, body: unknown, { signal }: { signal: AbortSignal }) {
  const attempt = async () =>
    fetch(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await accessToken()}`,
      },
      body: JSON.stringify(body),
      signal,
    })
  let response = await attempt()
  if (response.status === 401) {
    dropAccessToken()
    response = await attempt()
  }
  if (response.ok && response.body) return response
  const parsed = (await response.json().catch(() => null)) as {
    error?: Record<string, unknown>
  } | null
  throw failureOf(response, parsed?.error)
}
