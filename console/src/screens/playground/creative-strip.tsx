import { CircleAlert, LoaderCircle } from 'lucide-react'
import type { TaskDetail } from '#console/api/types.ts'
import { cx } from '#console/lib/cx.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { mediaOf } from '#console/shared/task-media.tsx'
import { Button } from '#console/ui/button.tsx'
import { Poster } from '#console/ui/poster.tsx'
import { Thumbnail } from '#console/ui/thumbnail.tsx'
import { useTask } from './use-task.ts'

type CreativeStripProps = {
  taskIds: readonly string[]
  shownId: string | null
  /** The one that is compared with the shown one. */
  secondId: string | null
  onChoose(taskId: string): void
  onCompare(isOn: boolean): void
  onClear(): void
}

/** What was made in this session, newest first. */
export function CreativeStrip(props: CreativeStripProps) {
  const { taskIds, shownId, secondId, onChoose, onCompare, onClear } = props
  if (taskIds.length === 0) return null
  return (
    <section aria-label="Results of this session" className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <h2 className="mr-auto font-semibold text-sm">This session</h2>
        {taskIds.length > 1 && (
          <Button
            size="small"
            aria-pressed={secondId !== null}
            onClick={() => onCompare(secondId === null)}
          >
            {secondId === null ? 'Compare two' : 'Show one'}
          </Button>
        )}
        <Button size="small" variant="quiet" onClick={onClear}>
          Clear
        </Button>
      </div>
      <ul className="flex flex-wrap gap-2">
        {taskIds.map((taskId, index) => (
          <li key={taskId}>
            <Item
              taskId={taskId}
              name={`Result ${taskIds.length - index}`}
              isShown={taskId === shownId || taskId === secondId}
              onChoose={() => onChoose(taskId)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

type ItemProps = { taskId: string; name: string; isShown: boolean; onChoose(): void }

function Item({ taskId, name, isShown, onChoose }: ItemProps) {
  const { data: task } = useTask(taskId)
  return (
    <button
      type="button"
      aria-label={`${name}, ${wordFor(task)}`}
      aria-pressed={isShown}
      title={task?.promptPreview}
      onClick={onChoose}
      className={cx(
        'flex size-24 items-center justify-center overflow-hidden rounded-sm border bg-sunken text-soft',
        isShown ? 'border-accent outline-1 outline-accent' : 'border-line hover:border-control',
      )}
    >
      <Picture task={task} />
    </button>
  )
}

const wordFor = (task: TaskDetail | undefined): string =>
  !task?.completedAt ? 'being made' : task.error ? 'failed' : 'done'

function Picture({ task }: { task: TaskDetail | undefined }) {
  const [first] = task ? mediaOf(task) : []
  if (!task?.completedAt) return <LoaderCircle size={18} className="animate-spin" aria-hidden />
  if (!first) return <CircleAlert size={18} className="text-bad" aria-hidden />
  const src = mediaPath(first.url)
  return first.mimeType.startsWith('video/') ? (
    <Poster src={src} className="size-full object-cover" />
  ) : (
    <Thumbnail size="small" src={src} className="size-full object-cover" />
  )
}
