import { useMutation } from '@tanstack/react-query'
import { Download, Star, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { Task } from '#console/api/types.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { saveBlob } from '#console/lib/save-text.ts'
import { May } from '#console/shared/may.tsx'
import { Button } from '#console/ui/button.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { DeleteTasksDialog } from './delete-tasks-dialog.tsx'
import { isTooMuch, mediaFiles } from './media-files.ts'
import { useMarkTasks } from './use-mark-tasks.ts'

type SelectionBarProps = {
  /** The chosen ones. */
  tasks: readonly Task[]
  onAll(): void
  onEnd(): void
}

/** What can be done with several tasks at once. */
export function SelectionBar({ tasks, onAll, onEnd }: SelectionBarProps) {
  const files = mediaFiles(tasks)
  const download = useMutation({ mutationFn: () => downloadAll(files) })
  const star = useMarkTasks()
  const [isDeleting, setDeleting] = useState(false)
  const ids = tasks.map(({ taskId }) => taskId)
  const failed = download.error ?? star.error
  const problem = isTooMuch(files)
    ? 'More than 500 MB do not fit into one archive. Choose fewer.'
    : failed && toApiFailure(failed).message
  return (
    <section aria-label="Selection" className="flex flex-wrap items-center gap-2">
      <span className="mr-auto text-sm" role="status">
        {tasks.length} selected
      </span>
      <Button size="small" variant="quiet" onClick={onAll}>
        Select all on this page
      </Button>
      <Button
        size="small"
        icon={<Download size={14} aria-hidden />}
        disabled={files.length === 0 || isTooMuch(files)}
        busy={download.isPending}
        onClick={() => download.mutate()}
      >
        Download as zip
      </Button>
      <May need="editor">
        <Button
          size="small"
          icon={<Star size={14} aria-hidden />}
          disabled={ids.length === 0}
          busy={star.isPending}
          onClick={() => star.mutate({ action: 'star', ids })}
        >
          Star
        </Button>
        <Button
          size="small"
          icon={<Trash2 size={14} aria-hidden />}
          disabled={ids.length === 0}
          onClick={() => setDeleting(true)}
        >
          Delete
        </Button>
      </May>
      <Button size="small" variant="quiet" onClick={onEnd}>
        Done
      </Button>
      {isDeleting && (
        <DeleteTasksDialog ids={ids} onClose={() => setDeleting(false)} onDone={onEnd} />
      )}
      {problem && <FieldProblem id="selection-problem" text={problem} />}
    </section>
  )
}

async function downloadAll(files: ReturnType<typeof mediaFiles>): Promise<void> {
  const { zipSync } = await import('fflate')
  const contents: Record<string, Uint8Array> = {}
  for (const { name, url } of files) {
    const response = await fetch(mediaPath(url))
    if (!response.ok) throw new Error(`${name} could not be read (${response.status}).`)
    contents[name] = new Uint8Array(await response.arrayBuffer())
  }
  // Pictures and videos are compressed already.
  const archive = zipSync(contents, { level: 0 })
  saveBlob(
    new Blob([archive as Uint8Array<ArrayBuffer>], { type: 'application/zip' }),
    'atelier.zip',
  )
}
