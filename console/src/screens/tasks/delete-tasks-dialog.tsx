import { toApiFailure } from '#console/api/api-failure.ts'
import { counted } from '#console/lib/counted.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { useMarkTasks } from './use-mark-tasks.ts'

type DeleteTasksDialogProps = { ids: string[]; onClose(): void; onDone(): void }

export function DeleteTasksDialog({ ids, onClose, onDone }: DeleteTasksDialogProps) {
  const remove = useMarkTasks(onDone)
  const words = counted(ids.length, 'image or video', 'images and videos')
  return (
    <Dialog
      open
      onClose={onClose}
      title={ids.length === 1 ? 'Delete it?' : `Delete ${words}?`}
      description="Files and prompts are deleted at once, also where runs show them. What they cost stays in the usage. Those that are not finished yet, or belong to an unfinished run, are kept."
      footer={
        <>
          <Button onClick={onClose}>{ids.length === 1 ? 'Keep it' : 'Keep them'}</Button>
          <Button
            variant="danger"
            busy={remove.isPending}
            onClick={() => remove.mutate({ action: 'delete', ids })}
          >
            Delete permanently
          </Button>
        </>
      }
    >
      {remove.error && <Failure failure={toApiFailure(remove.error)} />}
    </Dialog>
  )
}
