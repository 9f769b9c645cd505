import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { RunForm } from '#console/shared/run-form/run-form.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import type { RunState } from './run-state.ts'

export function AgainDialog({ state, onClose }: { state: RunState; onClose(): void }) {
  const navigate = useNavigate()
  // The run goes on being read; the form keeps what it opened with.
  const [inputs] = useState(state.inputs)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Run again"
      description="With the inputs of this run, and the workflow as it is now."
      size="medium"
    >
      <RunForm
        workflowId={state.run.workflowId}
        inputs={inputs}
        onStarted={(runId) => {
          onClose()
          void navigate({ to: '/runs/$runId', params: { runId } })
        }}
      />
    </Dialog>
  )
}
