import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Dialog } from '#console/ui/dialog.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'

const RunForm = lazy(async () => ({
  default: (await import('./run-form/run-form.tsx')).RunForm,
}))

type RunDialogProps = {
  workflowId: number
  title: string
  description?: string
  /** What browser nodes made in the canvas: inputs of the run, by node. */
  given?: Readonly<Record<string, unknown>>
  /** Initial values of the fields, instead of the inputs of the last run. */
  inputs?: Readonly<Record<string, unknown>>
  onClose(): void
}

/** The run form in a dialog over any screen; it leads to the run that it started. */
export function RunDialog({ workflowId, title, description, onClose, ...props }: RunDialogProps) {
  const navigate = useNavigate()
  // The page behind may keep changing; the form keeps the values it was opened with.
  const [opened] = useState(props)
  return (
    <Dialog open onClose={onClose} title={title} description={description} size="medium">
      <Suspense fallback={<Skeleton className="h-64 w-full" />}>
        <RunForm
          workflowId={workflowId}
          {...opened}
          onStarted={(runId) => {
            onClose()
            void navigate({ to: '/runs/$runId', params: { runId } })
          }}
        />
      </Suspense>
    </Dialog>
  )
}
