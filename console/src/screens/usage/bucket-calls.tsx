import { useInfiniteQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import type { Usage } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'
import { CallList } from '#console/shared/call-list.tsx'
import { Button } from '#console/ui/button.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SidePanel } from '#console/ui/side-panel.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { bucketLabel } from './bucket-label.ts'

type BucketCallsProps = {
  bucket: Usage['buckets'][number]
  tag?: string | undefined
  onClose(): void
}

/** What a bar opens: the calls that it sums up. */
export function BucketCalls({ bucket, tag, onClose }: BucketCallsProps) {
  const calls = useInfiniteQuery({
    queryKey: ['calls', bucket.startsAt, bucket.endsAt, tag],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      consoleCall('GET /calls', {
        query: {
          from: bucket.startsAt,
          to: bucket.endsAt,
          ...(tag === undefined ? {} : { tag }),
          ...(pageParam ? { cursor: pageParam } : {}),
        },
        signal,
      }),
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  return (
    <SidePanel title={`Calls, ${bucketLabel(bucket.key, locale)}`} onClose={onClose}>
      <Loadable query={calls} skeleton={<SkeletonRows />}>
        {({ pages }) => (
          <>
            <CallList calls={pages.flatMap(({ items }) => items)} />
            {calls.hasNextPage && (
              <Button
                className="mt-4"
                busy={calls.isFetchingNextPage}
                onClick={() => void calls.fetchNextPage()}
              >
                Older calls
              </Button>
            )}
          </>
        )}
      </Loadable>
    </SidePanel>
  )
}
