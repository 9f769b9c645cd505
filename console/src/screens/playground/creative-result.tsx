import { Link } from '@tanstack/react-router'
import { ImageIcon } from 'lucide-react'
import { useState } from 'react'
import type { TaskDetail } from '#console/api/types.ts'
import { formatDuration } from '#console/lib/time.ts'
import { useNow } from '#console/lib/use-now.ts'
import { mediaOf, TaskMedia } from '#console/shared/task-media.tsx'
import { TaskStatus } from '#console/shared/task-status.tsx'
import { Button } from '#console/ui/button.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Empty } from '#console/ui/empty.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Money } from '#console/ui/money.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import type { CreativeKind } from './creative.ts'
import { useTask } from './use-task.ts'

type ResultProps = {
  kind: CreativeKind
  /** Starts the form from this picture. */
  onUse(url: string): void
  /** Uses the seed again; absent if the model has none. */
  onSeed: ((seed: number) => void) | undefined
}

export function CreativeResult({ taskId, ...rest }: ResultProps & { taskId: string | null }) {
  if (!taskId)
    return (
      <Empty icon={<ImageIcon size={24} aria-hidden />} title="The result appears here">
        It is also stored under Tasks, so you may close this page in the meantime.
      </Empty>
    )
  return <Watched key={taskId} taskId={taskId} {...rest} />
}

function Watched({ kind, taskId, onUse, onSeed }: ResultProps & { taskId: string }) {
  return (
    <Loadable query={useTask(taskId)} skeleton={<Skeleton className="aspect-square rounded-md" />}>
      {(data) => <Result kind={kind} task={data} onUse={onUse} onSeed={onSeed} />}
    </Loadable>
  )
}

function Result({ kind, task, onUse, onSeed }: ResultProps & { task: TaskDetail }) {
  const [index, setIndex] = useState(0)
  const media = mediaOf(task)
  if (task.error)
    return (
      <Failure failure={{ ...task.error, retryable: false }} title="This task failed">
        <Link to="/tasks/$taskId" params={{ taskId: task.taskId }} className="underline">
          What to do about it
        </Link>
      </Failure>
    )
  if (media.length === 0) return <Stages task={task} />
  const picture = kind === 'IMAGE' ? media[index]?.url : undefined
  const { seed } = task.parameters
  return (
    <>
      <TaskMedia task={task} index={index} onIndex={setIndex} />
      <div className="flex flex-wrap items-center gap-2">
        <span className="mr-auto text-soft text-sm">
          <Money value={task.cost} />
          {task.startedAt &&
            task.completedAt &&
            `, ${formatDuration(Date.parse(task.completedAt) - Date.parse(task.startedAt))}`}
        </span>
        {onSeed && seed !== undefined && (
          <Button size="small" onClick={() => onSeed(seed)}>
            Same seed ({seed})
          </Button>
        )}
        {picture && (
          <>
            <Button size="small" onClick={() => onUse(picture)}>
              Use as input
            </Button>
            <Link
              to="/playground/video"
              search={{ image: picture }}
              className={buttonClass('secondary', 'small')}
            >
              Make a video
            </Link>
          </>
        )}
        <Link
          to="/tasks/$taskId"
          params={{ taskId: task.taskId }}
          className={buttonClass('secondary', 'small')}
        >
          Details
        </Link>
      </div>
    </>
  )
}

const stages = [
  { key: 'QUEUED', label: 'Accepted' },
  { key: 'RUNNING', label: 'Being made' },
  { key: 'COMPLETED', label: 'Stored' },
] as const

function Stages({ task }: { task: TaskDetail }) {
  const now = useNow(1_000)
  const at = stages.findIndex(({ key }) => key === task.status)
  const waitedMs = Math.max(0, now - Date.parse(task.createdAt))
  return (
    <div className="flex aspect-square max-h-[70dvh] flex-col items-center justify-center gap-4 rounded-md bg-sunken">
      <TaskStatus status={task.status} />
      <ol className="flex gap-4 text-sm">
        {stages.map(({ key, label }, index) => (
          <li
            key={key}
            aria-current={index === at ? 'step' : undefined}
            className={index <= at ? 'text-ink' : 'text-soft'}
          >
            {label}
          </li>
        ))}
      </ol>
      <span className="text-soft text-sm">{formatDuration(waitedMs)}</span>
    </div>
  )
}
