import { Link } from '@tanstack/react-router'
import { consoleCall } from '#console/api/console-api.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { RunStatus } from '#console/shared/run-status.tsx'
import { TaskStatus } from '#console/shared/task-status.tsx'
import { Card } from '#console/ui/card.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { RowLink } from './row-link.tsx'
import { RunRowLink } from './run-row-link.tsx'

const shown = 6

export function RunningCard() {
  const query = usePolled({
    queryKey: ['overview', 'running'],
    read: async (signal) => {
      const [runs, running, queued] = await Promise.all([
        consoleCall('GET /runs', { query: { status: 'ACTIVE', size: shown }, signal }),
        consoleCall('GET /tasks', {
          query: { status: 'RUNNING', source: 'DIRECT', size: shown },
          signal,
        }),
        consoleCall('GET /tasks', {
          query: { status: 'QUEUED', source: 'DIRECT', size: shown },
          signal,
        }),
      ])
      return { runs: runs.items, tasks: [...running.items, ...queued.items] }
    },
    retryAfterSeconds: ({ runs, tasks }) => (runs.length + tasks.length > 0 ? 2 : 10),
  })
  return (
    <Card
      title="Running now"
      actions={
        <Link to="/runs" className="text-accent text-sm underline">
          All runs
        </Link>
      }
    >
      <Loadable
        query={query}
        skeleton={<SkeletonRows rows={2} />}
        isEmpty={({ runs, tasks }) => runs.length + tasks.length === 0}
        empty={<p className="text-soft">Nothing is running.</p>}
      >
        {({ runs, tasks }) => (
          <ul>
            {runs.map((run) => (
              <RunRowLink key={run.runId} run={run}>
                <RunStatus status={run.status} waitingFor={run.waitingFor} />
              </RunRowLink>
            ))}
            {tasks.slice(0, shown).map((task) => (
              <RowLink
                key={task.taskId}
                to="/tasks/$taskId"
                params={{ taskId: task.taskId }}
                name={task.promptPreview || task.model}
                at={task.createdAt}
              >
                <TaskStatus status={task.status} />
              </RowLink>
            ))}
          </ul>
        )}
      </Loadable>
    </Card>
  )
}
