// The developer area: the session cookie says who asks. A call that meets an ended session waits
// until the person has signed in again, then is made once more; a 401 means nothing was done.
import { ApiFailure } from './api-failure.ts'
import { waitForSignIn } from './ended-session.ts'
import { type Answered, type Call, exchange } from './exchange.ts'

export const developerPrefix = '/api/console/v1'

export const isSessionEnd = (error: unknown): boolean =>
  error instanceof ApiFailure && error.status === 401 && error.code === 'AUTH_REQUIRED'

/** The whole answer, for callers that need its ETag. */
export async function developerExchange<T>(path: string, call?: Call): Promise<Answered<T>> {
  try {
    return await exchange<T>(developerPrefix + path, call)
  } catch (error) {
    if (!isSessionEnd(error)) throw error
    await waitForSignIn()
    return exchange<T>(developerPrefix + path, call)
  }
}

export const developerCall = async <T>(path: string, call?: Call): Promise<T> =>
  (await developerExchange<T>(path, call)).data
