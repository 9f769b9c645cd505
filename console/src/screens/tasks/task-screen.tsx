import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import type { TaskDetail } from '#console/api/types.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { CallList } from '#console/shared/call-list.tsx'
import { mediaOf, TaskMedia } from '#console/shared/task-media.tsx'
import { TaskStatus } from '#console/shared/task-status.tsx'
import { Card } from '#console/ui/card.tsx'
import { Code } from '#console/ui/code.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { Thumbnail } from '#console/ui/thumbnail.tsx'
import { adviceFor } from './advice.ts'
import { Neighbours } from './neighbours.tsx'
import { TaskActions } from './task-actions.tsx'
import { TaskFacts } from './task-facts.tsx'

const route = getRouteApi('/framed/tasks/$taskId')

export function TaskScreen() {
  const { taskId } = route.useParams()
  const task = usePolled({
    queryKey: ['task', taskId],
    read: (signal) => consoleCall('GET /tasks/{taskId}', { params: { taskId }, signal }),
    retryAfterSeconds: (data) => data.retryAfterSeconds,
    isWatched: true,
  })
  const title = task.data?.kind === 'VIDEO' ? 'Video' : 'Image'
  useTrail(title)
  return (
    <Page title={title} actions={task.data && <TaskActions task={task.data} />}>
      <Loadable query={task} skeleton={<Skeleton className="h-96 rounded-md" />}>
        {(data) => <Detail task={data} />}
      </Loadable>
    </Page>
  )
}

function Detail({ task }: { task: TaskDetail }) {
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <Result task={task} />
        <Neighbours task={task} />
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <Card title="Prompt">
          <Code label="prompt" text={task.prompt} wrap className="max-h-80 overflow-auto" />
          {task.promptTruncated && (
            <p className="mt-2 text-soft text-sm">The rest of this prompt was not stored.</p>
          )}
          {task.inputImage && (
            <Thumbnail
              src={mediaPath(task.inputImage.url)}
              alt="The reference given with the prompt"
              className="mt-3 max-h-40 rounded-sm"
            />
          )}
        </Card>
        <Card title="Details">
          <TaskFacts task={task} />
        </Card>
        <Card title="Calls">
          {task.attempts.length === 0 ? (
            <p className="text-soft text-sm">No provider was called.</p>
          ) : (
            <CallList calls={task.attempts} />
          )}
        </Card>
      </div>
    </div>
  )
}

function Result({ task }: { task: TaskDetail }) {
  const [index, setIndex] = useState(0)
  const media = mediaOf(task)
  if (task.error)
    return (
      <Failure failure={{ ...task.error, retryable: false }} title="This task failed">
        <p>{adviceFor(task.error.code)}</p>
      </Failure>
    )
  if (media.length > 0) return <TaskMedia task={task} index={index} onIndex={setIndex} />
  return (
    <div
      className="flex aspect-video flex-col items-center justify-center gap-2 rounded-md bg-sunken text-center"
      aria-live="polite"
    >
      <TaskStatus status={task.status} />
      {task.runId && task.status === 'CANCELLED' && (
        <Link to="/runs/$runId" params={{ runId: task.runId }}>
          Its run was cancelled
        </Link>
      )}
    </div>
  )
}
