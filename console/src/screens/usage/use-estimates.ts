import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import type { Usage } from '#console/api/types.ts'
import { sumEstimates } from './estimates.ts'

/** Pages read automatically, some thousand runs. A button continues with a longer history. */
const pagesByThemselves = 50

/** What all runs of the period were expected to cost. The newest runs came with the usage. */
export function useEstimates({ from, to, tz, estimates, estimatesNext }: Usage) {
  const older = useInfiniteQuery({
    queryKey: ['usage estimates', from, to, tz, estimatesNext],
    enabled: estimatesNext !== null,
    initialPageParam: estimatesNext,
    queryFn: ({ pageParam, signal }) =>
      consoleCall('GET /usage/estimates', {
        query: { from, to, tz, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
    getNextPageParam: ({ next }) => next,
    // Past runs do not change; a new run changes the cursor at which the older ones begin.
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
    /** Null if every run has been counted, or is being counted. */
    onMore: hasNextPage && !isFetching && !goesOn ? () => void fetchNextPage() : null,
  }
}
