import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type ApiFailure, toApiFailure } from './api-failure.ts'
import { joinPoll, shareAnswer } from './poll-leader.ts'
import { nextPollMs } from './poll-pace.ts'
import { useSession } from './session.ts'

export type Polled<T> = {
  data: T | undefined
  error: ApiFailure | null
  isPending: boolean
  fetchStatus: 'fetching' | 'paused' | 'idle'
  /** Since when the data on screen could not be refreshed; null while it is fresh. */
  staleSinceMs: number | null
  refetch(): void
}

type Options<T> = {
  queryKey: QueryKey
  read(signal: AbortSignal): Promise<T>
  /** What the answer advises; 0 means that nothing will change any more. */
  retryAfterSeconds(data: T): number | null
  /**
   * A run or task that someone is looking at: read every 500 ms for 10 s, then 1 s, then as
   * advised.
   */
  isWatched?: boolean
  enabled?: boolean
}

/**
 * Reads again at the interval that the answer advises. Hidden tabs stop, a tab that becomes visible
 * reads at once, failures back off, and one tab of an account reads for the others.
 */
export function usePolled<T>(options: Options<T>): Polled<T> {
  const { queryKey, read, retryAfterSeconds, isWatched = false, enabled = true } = options
  const client = useQueryClient()
  const accountId = useSession().data?.session?.account.id
  const [isLeader, setLeader] = useState(false)
  const startedAtMs = useRef(Date.now())
  const name = `${accountId} ${JSON.stringify(queryKey)}`

  useEffect(() => {
    if (!enabled) return
    startedAtMs.current = Date.now()
    const key = JSON.parse(name.slice(name.indexOf(' ') + 1)) as QueryKey
    const leader = joinPoll({
      name,
      onLead: setLeader,
      onShared: (answer) => client.setQueryData(key, answer),
    })
    return leader.stop
  }, [name, enabled, client])

  const query = useQuery<T, Error>({
    queryKey,
    enabled,
    queryFn: async ({ signal }) => {
      const answer = await read(signal)
      shareAnswer(name, answer)
      return answer
    },
    refetchIntervalInBackground: false,
    refetchInterval: ({ state }) => {
      if (!isLeader) return false
      const failure = state.error ? toApiFailure(state.error) : null
      return nextPollMs({
        retryAfterSeconds: state.data === undefined ? null : retryAfterSeconds(state.data),
        watchedMs: Date.now() - startedAtMs.current,
        failures: failure ? Math.max(1, state.errorUpdateCount) : 0,
        failureRetryAfterSeconds: failure?.retryAfterSeconds ?? null,
        isWatched,
      })
    },
  })
  return {
    data: query.data,
    error: query.error ? toApiFailure(query.error) : null,
    isPending: query.isPending,
    fetchStatus: query.fetchStatus,
    staleSinceMs: query.data !== undefined && query.error ? query.dataUpdatedAt : null,
    refetch: () => void query.refetch(),
  }
}
