import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { developerCall } from '#console/api/developer-api.ts'
import type { Usage } from '#console/api/types.ts'
import { sumEstimates } from './estimates.ts'

/** Read without being asked for; some thousand runs. A longer history goes on by a button. */
const pagesByThemselves = 50

/** What all runs of the span were expected to cost: the newest came with the sums. */
export function useEstimates({ from, to, tz, estimates, estimatesNext }: Usage) {
  const older = useInfiniteQuery({
    queryKey: ['usage estimates', from, to, tz, estimatesNext],
    enabled: estimatesNext !== null,
    initialPageParam: estimatesNext,
    queryFn: ({ pageParam, signal }) =>
      developerCall('GET /usage/estimates', {
        query: { from, to, tz, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
    getNextPageParam: ({ next }) => next,
    // Runs of the past do not change; a new one changes where the older begin.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = older
  const pages = data?.pages.length ?? 0
  const goesOn = hasNextPage && !isFetching && !isError && pages % pagesByThemselves !== 0
  useEffect(() => {
    if (goesOn) void fetchNextPage()
  }, [goesOn, fetchNextPage])
  return {
    rows: sumEstimates([estimates, ...(data?.pages.map(({ items }) => items) ?? [])]),
    isCounting: isFetching || goesOn,
    /** Null where every run is counted, or is being. */
    onMore: hasNextPage && !isFetching && !goesOn ? () => void fetchNextPage() : null,
  }
}
