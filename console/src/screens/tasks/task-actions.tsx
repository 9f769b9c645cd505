import { Link, useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { TaskDetail } from '#console/api/types.ts'
import { May } from '#console/shared/may.tsx'
import { Button } from '#console/ui/button.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Copy } from '#console/ui/copy.tsx'
import { DeleteTasksDialog } from './delete-tasks-dialog.tsx'
import { StarButton } from './star-button.tsx'

/** The longest prompt that the playground reads from its address. */
const startedWith = 4_000

/** What to do next with this result, and a command that reads it outside the browser. */
export function TaskActions({ task }: { task: TaskDetail }) {
  const curl = `curl -s ${location.origin}/api/ai-tools/v1/tasks/${task.taskId} \\\n  -H "Authorization: Bearer $ATELIER_API_KEY"`
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const picture = task.imageContent?.[0]?.url
  return (
    <>
      {picture && (
        <Link
          to="/playground/image"
          search={{ image: picture }}
          className={buttonClass('secondary', 'small')}
        >
          Use as input
        </Link>
      )}
      <Link
        to={task.kind === 'IMAGE' ? '/playground/image' : '/playground/video'}
        search={{ model: task.model, prompt: task.prompt.slice(0, startedWith) }}
        className={buttonClass('secondary', 'small')}
      >
        Make another
      </Link>
      <Copy text={curl} label="Copy as curl" form="button" />
      <May need="editor">
        <Button
          size="small"
          icon={<Trash2 size={14} aria-hidden />}
          onClick={() => setDeleting(true)}
        >
          Delete
        </Button>
        <StarButton taskId={task.taskId} starred={task.starred} />
      </May>
      {isDeleting && (
        <DeleteTasksDialog
          ids={[task.taskId]}
          onClose={() => setDeleting(false)}
          onDone={() => void navigate({ to: '/tasks' })}
        />
      )}
    </>
  )
}
