import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { Media } from '#console/api/types.ts'
import { Dialog } from '#console/ui/dialog.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'

const RunForm = lazy(async () => ({
  default: (await import('#console/shared/run-form/run-form.tsx')).RunForm,
}))

type RunDialogProps = {
  workflowId: number
  /** What browser nodes made: inputs of the run, by node. */
  made: Readonly<Record<string, Media>>
  onClose(): void
}

export function RunDialog({ workflowId, made, onClose }: RunDialogProps) {
  const navigate = useNavigate()
  return (
    <Dialog open onClose={onClose} title="Run" size="medium">
      <Suspense fallback={<Skeleton className="h-64 w-full" />}>
        <RunForm
          workflowId={workflowId}
          given={made}
          onStarted={(runId) => void navigate({ to: '/runs/$runId', params: { runId } })}
        />
      </Suspense>
    </Dialog>
  )
}
