import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { TaskDetail } from '#console/api/types.ts'
import { formatBytes } from '#console/lib/bytes.ts'
import { formatDuration } from '#console/lib/time.ts'
import { TaskStatus } from '#console/shared/task-status.tsx'
import { Copy } from '#console/ui/copy.tsx'
import { Money } from '#console/ui/money.tsx'
import { When } from '#console/ui/when.tsx'

const parameterNames: Record<keyof TaskDetail['parameters'], string> = {
  imageAspectRatio: 'Aspect ratio',
  imageQuality: 'Quality',
  imageSampleSize: 'Size',
  videoAspectRatio: 'Aspect ratio',
  videoSeconds: 'Seconds',
  videoResolution: 'Resolution',
  videoGenerateAudio: 'Sound',
  seed: 'Seed',
  mask: 'With a mask',
}

export function TaskFacts({ task }: { task: TaskDetail }) {
  const [media] = task.imageContent ?? task.videoContent ?? []
  const parameters = Object.entries(task.parameters) as [
    keyof TaskDetail['parameters'],
    string | number | boolean,
  ][]
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 text-sm">
      <Fact name="State">
        <TaskStatus status={task.status} />
      </Fact>
      <Fact name="Model">{task.model}</Fact>
      {parameters.map(([key, value]) => (
        <Fact key={key} name={parameterNames[key]}>
          {typeof value === 'boolean' ? (value ? 'yes' : 'no') : value}
        </Fact>
      ))}
      <Fact name="Cost">
        <Money value={task.cost} />
      </Fact>
      <Fact name="Created">
        <When at={task.createdAt} />
      </Fact>
      {task.startedAt && task.completedAt && (
        <Fact name="Duration">
          {formatDuration(Date.parse(task.completedAt) - Date.parse(task.startedAt))}
        </Fact>
      )}
      {media && (
        <Fact name="File">
          {[
            media.width && media.height && `${media.width} × ${media.height}`,
            media.durationSeconds && `${media.durationSeconds} s`,
            formatBytes(media.sizeBytes),
          ]
            .filter(Boolean)
            .join(', ')}
        </Fact>
      )}
      <Fact name="Made by">
        {task.runId ? (
          <Link
            to="/runs/$runId"
            params={{ runId: task.runId }}
            search={task.nodeId ? { node: task.nodeId } : {}}
          >
            a run{task.nodeId && `, node ${task.nodeId}`}
          </Link>
        ) : (
          (task.keyName ?? 'the console or a token')
        )}
      </Fact>
      <Fact name="Task id">
        <span className="inline-flex items-center gap-1">
          <code className="[overflow-wrap:anywhere]">{task.taskId}</code>
          <Copy text={task.taskId} label="Copy the task id" />
        </span>
      </Fact>
    </dl>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </>
)
