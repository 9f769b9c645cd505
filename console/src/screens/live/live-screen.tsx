import { Link } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { consoleCall } from '#console/api/console-api.ts'
import type { Live } from '#console/api/types.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { RunLinks } from '#console/shared/run-links.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Card } from '#console/ui/card.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { CallsTable } from './calls-table.tsx'
import { CostCard } from './cost-card.tsx'
import { HoursCard } from './hours-card.tsx'
import { LanesTable } from './lanes-table.tsx'
import { isQuiet } from './live-words.ts'
import { StateCounts } from './state-counts.tsx'
import { WorkflowsTable } from './workflows-table.tsx'

const readEverySeconds = 2

/** What runs, waits and retries now, read every two seconds. */
export function LiveScreen() {
  useTrail('Live')
  const query = usePolled({
    queryKey: ['live'],
    read: (signal) => consoleCall('GET /live', { signal }),
    retryAfterSeconds: () => readEverySeconds,
  })
  return (
    <>
      <RunLinks />
      <Page title="Live" lead="What is running now, what waits for its turn, and what it costs.">
        <Loadable query={query} skeleton={<LiveSkeleton />}>
          {(live) => (
            <>
              <StateCounts live={live} />
              <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
                <div className="flex min-w-0 flex-col gap-4">
                  <Work live={live} />
                  {live.lanes.length > 0 && <LanesTable lanes={live.lanes} />}
                  <HoursCard />
                </div>
                <CostCard cost={live.cost} />
              </div>
            </>
          )}
        </Loadable>
      </Page>
    </>
  )
}

function Work({ live }: { live: Live }) {
  if (isQuiet(live)) {
    return (
      <Card>
        <Empty
          icon={<Activity size={24} aria-hidden />}
          title="Nothing is running."
          action={
            <Link to="/workflows" className={buttonClass()}>
              Choose a workflow
            </Link>
          }
        >
          Runs, images and videos appear here as soon as they start.
        </Empty>
      </Card>
    )
  }
  return (
    <>
      {live.workflows.length > 0 && <WorkflowsTable workflows={live.workflows} />}
      {live.calls.length > 0 && <CallsTable calls={live.calls} />}
    </>
  )
}

const LiveSkeleton = () => (
  <>
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {['running', 'queued', 'waiting', 'retrying'].map((state) => (
        <Skeleton key={state} className="h-24" />
      ))}
    </div>
    <Skeleton className="h-48 w-full" />
  </>
)
