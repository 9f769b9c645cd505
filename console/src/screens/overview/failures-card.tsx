import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { Card } from '#console/ui/card.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { RunRowLink } from './run-row-link.tsx'

export function FailuresCard() {
  const query = useQuery({
    queryKey: ['runs', 'failed'],
    queryFn: async ({ signal }) =>
      (await consoleCall('GET /runs', { query: { status: 'FAILED', size: 5 }, signal })).items,
  })
  return (
    <Card title="Recent failures">
      <Loadable
        query={query}
        skeleton={<SkeletonRows rows={2} />}
        isEmpty={(runs) => runs.length === 0}
        empty={<p className="text-soft">No run has failed.</p>}
      >
        {(runs) => (
          <ul>
            {runs.map((run) => (
              <RunRowLink key={run.runId} run={run}>
                <span className="max-w-64 truncate text-bad text-sm">
                  {run.nodeErrors[0]?.message ?? 'Failed'}
                </span>
              </RunRowLink>
            ))}
          </ul>
        )}
      </Loadable>
    </Card>
  )
}
