import { useQuery } from '@tanstack/react-query'
import { dropAccessToken } from './access-token.ts'
import { consolePrefix } from './console-api.ts'
import { exchange, forgetAnswers } from './exchange.ts'
import { queryClient } from './query-client.ts'
import type { ConsoleCalls, Role } from './types.ts'

type SessionInfo = ConsoleCalls['getSession']['data']

const sessionQuery = {
  queryKey: ['session'],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await exchange<SessionInfo>(`${consolePrefix}/session`, { signal })).data,
  staleTime: 60_000,
}

export const useSession = () => useQuery(sessionQuery)

export const loadSession = (): Promise<SessionInfo> => queryClient.ensureQueryData(sessionQuery)

/** Asks the server who is signed in now. */
export const reloadSession = (): Promise<SessionInfo> =>
  queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })

/** The code is needed only if two-step sign-in is on. */
export const signIn = (email: string, password: string, code?: string): Promise<void> =>
  enter('/sign-in', { email, password, ...(code === undefined ? {} : { code }) })

export const signUp = (email: string, password: string): Promise<void> =>
  enter('/sign-up', { email, password })

export const join = (token: string, password: string): Promise<void> =>
  enter('/invitations/accept', { token, password })

/** What this person may do; until that is known, only look. */
export function useRole(): Role {
  return useSession().data?.session?.role ?? 'viewer'
}

/** Whether to offer what needs this role. The server decides; this only avoids a refusal. */
export function useMay(needed: 'editor' | 'owner'): boolean {
  const role = useRole()
  return role === 'owner' || role === needed
}

async function enter(path: string, body: object): Promise<void> {
  await exchange(consolePrefix + path, { method: 'POST', body })
  dropAccessToken()
  await reloadSession()
}

/**
 * Forgets what this person was answered: the next person may be someone else. The page must be
 * loaded anew after this, which forgets the rest; what it reads by itself would be refused now.
 */
export async function signOut(): Promise<void> {
  await queryClient.cancelQueries()
  await exchange(`${consolePrefix}/sign-out`, { method: 'POST' })
  dropAccessToken()
  forgetAnswers()
}
