import { developerCall } from '#console/api/developer-api.ts'
import { publicCall } from '#console/api/public-api.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'

export function OverviewScreen() {
  const recent = usePolled({
    queryKey: ['overview', 'tasks'],
    read: (signal) => publicCall<{ total: number }>('/tasks', { query: { size: 1 }, signal }),
    retryAfterSeconds: () => 15,
  })
  const keys = usePolled({
    queryKey: ['overview', 'keys'],
    read: (signal) => developerCall('GET /api-keys', { signal }),
    retryAfterSeconds: () => 15,
  })
  return (
    <Page title="Overview">
      <Loadable query={recent} skeleton={<SkeletonRows />}>
        {({ total }) => <p>{total} tasks</p>}
      </Loadable>
      <Loadable query={keys} skeleton={<SkeletonRows />}>
        {({ items }) => <p>{items.length} keys</p>}
      </Loadable>
    </Page>
  )
}

export function WelcomeScreen() {
  return <Page title="Welcome">{null}</Page>
}
