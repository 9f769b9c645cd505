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

export const signIn = (email: string, password: string): Promise<void> =>
  enter('/sign-in', { email, password })

export const signUp = (email: string, password: string): Promise<void> =>
  enter('/sign-up', { email, password })

async function enter(path: string, body: object): Promise<void> {
  await exchange(developerPrefix + path, { method: 'POST', body })
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
