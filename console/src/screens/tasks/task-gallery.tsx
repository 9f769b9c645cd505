import { Link } from '@tanstack/react-router'
import { Film } from 'lucide-react'
import { useState } from 'react'
import type { GalleryTask, Task } from '#console/api/types.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { May } from '#console/shared/may.tsx'
import { TaskStatus } from '#console/shared/task-status.tsx'
import { Button } from '#console/ui/button.tsx'
import { Money } from '#console/ui/money.tsx'
import { Poster } from '#console/ui/poster.tsx'
import { Thumbnail } from '#console/ui/thumbnail.tsx'
import { When } from '#console/ui/when.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { StarButton } from './star-button.tsx'

/** The tasks as pictures. Several can be chosen, to download them together. */
export function TaskGallery({ tasks }: { tasks: readonly GalleryTask[] }) {
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null)
  const toggle = (taskId: string) =>
    setChosen((now) => {
      const next = new Set(now)
      if (!next.delete(taskId)) next.add(taskId)
      return next
    })
  return (
    <div className="flex flex-col gap-3">
      {chosen ? (
        <SelectionBar
          tasks={tasks.filter(({ taskId }) => chosen.has(taskId))}
          onAll={() => setChosen(new Set(tasks.map(({ taskId }) => taskId)))}
          onEnd={() => setChosen(null)}
        />
      ) : (
        <Button size="small" className="self-end" onClick={() => setChosen(new Set())}>
          Select
        </Button>
      )}
      <ul className="grid grid-cols-2 gap-3 md:grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] md:gap-4">
        {tasks.map((task) => (
          <li key={task.taskId} className="relative">
            <TaskCard task={task} />
            {chosen && (
              <input
                type="checkbox"
                aria-label={`Select ${task.promptPreview || 'the task without a prompt'}`}
                checked={chosen.has(task.taskId)}
                onChange={() => toggle(task.taskId)}
                className="absolute top-2 left-2 size-6 accent-accent"
              />
            )}
            <May need="editor">
              <StarButton
                taskId={task.taskId}
                starred={task.starred}
                className="absolute top-2 right-2 bg-card"
              />
            </May>
          </li>
        ))}
      </ul>
    </div>
  )
}

const TaskCard = ({ task }: { task: Task }) => (
  <Link
    to="/tasks/$taskId"
    params={{ taskId: task.taskId }}
    className="flex h-full flex-col overflow-hidden rounded-md border border-line bg-card text-ink no-underline transition-colors hover:border-control"
  >
    <span className="flex aspect-square items-center justify-center overflow-hidden bg-sunken">
      <Picture task={task} />
    </span>
    <span className="flex grow flex-col gap-1 px-3 py-2">
      <span className="line-clamp-2 text-sm [overflow-wrap:anywhere]">
        {task.promptPreview || 'No prompt'}
      </span>
      <span className="mt-auto flex flex-wrap justify-between gap-x-2 text-soft text-xs">
        <When at={task.createdAt} />
        <Money value={task.cost} />
      </span>
    </span>
  </Link>
)

function Picture({ task }: { task: Task }) {
  const image = task.imageContent?.[0]
  const video = task.videoContent?.[0]
  if (image) return <Thumbnail src={mediaPath(image.url)} className="size-full object-cover" />
  if (video)
    return (
      <span className="relative flex size-full">
        <Poster src={mediaPath(video.url)} className="size-full object-cover" />
        <span className="absolute right-2 bottom-2 rounded-sm bg-card px-1.5 py-1 text-ink">
          <Film size={14} aria-label="Video" />
        </span>
      </span>
    )
  return <TaskStatus status={task.status} />
}
