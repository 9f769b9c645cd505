import { useQuery } from '@tanstack/react-query'
import { dropAccessToken } from './access-token.ts'
import { developerPrefix } from './developer-api.ts'
import { exchange, forgetAnswers } from './exchange.ts'
import { queryClient } from './query-client.ts'
import type { DeveloperCalls } from './types.ts'

type SessionInfo = DeveloperCalls['getSession']['data']

const sessionQuery = {
  queryKey: ['session'],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await exchange<SessionInfo>(`${developerPrefix}/session`, { signal })).data,
  staleTime: 60_000,
}

export const useSession = () => useQuery(sessionQuery)

export const loadSession = (): Promise<SessionInfo> => queryClient.ensureQueryData(sessionQuery)

/** Asks the server who is signed in now. */
export const reloadSession = (): Promise<SessionInfo> =>
  queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })

export async function signIn(email: string, password: string): Promise<void> {
  await exchange(`${developerPrefix}/sign-in`, { method: 'POST', body: { email, password } })
  dropAccessToken()
  await reloadSession()
}

/** Forgets everything this person saw: the next one may be another. */
export async function signOut(): Promise<void> {
  await exchange(`${developerPrefix}/sign-out`, { method: 'POST' })
  dropAccessToken()
  forgetAnswers()
  queryClient.clear()
}
