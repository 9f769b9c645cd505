import { Star } from 'lucide-react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { cx } from '#console/lib/cx.ts'
import { IconButton } from '#console/ui/icon-button.tsx'
import { toast } from '#console/ui/toasts.ts'
import { useMarkTasks } from './use-mark-tasks.ts'

type StarButtonProps = { taskId: string; starred: boolean; className?: string }

/** Favourites: everybody in the account sees the same stars. */
export function StarButton({ taskId, starred, className }: StarButtonProps) {
  const mark = useMarkTasks()
  // Shown at once; if it fails, the star is as it was.
  const isOn = mark.isPending ? !starred : starred
  return (
    <IconButton
      label={isOn ? 'Remove the star' : 'Add a star'}
      aria-pressed={isOn}
      icon={<Star size={16} className={cx(isOn && 'fill-current text-warn')} aria-hidden />}
      className={className}
      onClick={() =>
        mark.mutate(
          { action: starred ? 'unstar' : 'star', ids: [taskId] },
          { onError: (error) => toast('The star was not changed', toApiFailure(error).message) },
        )
      }
    />
  )
}
