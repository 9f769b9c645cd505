import { Inbox } from 'lucide-react'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { NoRight } from '#console/ui/no-right.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { StaleNote } from '#console/ui/stale-note.tsx'
import { Status, type StatusKind } from '#console/ui/status.tsx'

const kinds: StatusKind[] = [
  'waiting',
  'running',
  'stopping',
  'good',
  'bad',
  'cancelled',
  'skipped',
]
const nothing = () => undefined
const base = { data: undefined, error: null, isPending: true, refetch: nothing }

export function KitStates() {
  return (
    <Card title="States">
      <div className="flex flex-col gap-6">
        <div className="flex flex-wrap gap-4">
          {kinds.map((kind) => (
            <Status key={kind} kind={kind} label={kind} />
          ))}
        </div>
        <Banner tone="info" title="Info">
          One sentence more.
        </Banner>
        <Banner tone="good" title="Good" />
        <Banner tone="warn" title="Warning" actions={<Button size="small">Do something</Button>} />
        <Failure
          failure={{
            message: 'The provider does not answer.',
            code: 'PROVIDER_UNAVAILABLE',
            requestId: 'req_example_1',
            retryable: true,
          }}
          onRetry={nothing}
        />
        <StaleNote sinceMs={0} reason="The server could not be reached." onRetry={nothing} />
        <Loadable query={base} skeleton={<SkeletonRows rows={3} />}>
          {nothing}
        </Loadable>
        <Skeleton className="h-24 w-full" />
        <div className="grid gap-4 md:grid-cols-2">
          <Empty
            icon={<Inbox size={24} aria-hidden />}
            title="Nothing yet"
            action={<Button variant="primary">Make the first</Button>}
          >
            What this is, and why there is none.
          </Empty>
          <NoRight missing="You need permission to read usage. Ask the owner of the account." />
        </div>
      </div>
    </Card>
  )
}
