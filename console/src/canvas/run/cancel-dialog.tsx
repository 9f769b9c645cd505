import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { publicCall } from '#console/api/public-api.ts'
import type { Cancellation } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import type { RunState } from './run-state.ts'
import { stillBilled } from './still-billed.ts'

type CancelDialogProps = { state: RunState; nameOf(nodeId: string): string; onClose(): void }

export function CancelDialog({ state, nameOf, onClose }: CancelDialogProps) {
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const { runId } = state.run
  const cancel = useMutation({
    mutationFn: () =>
      publicCall<Cancellation>(`/workflow-runs/${runId}/cancel`, {
        method: 'POST',
        body: reason.trim() ? { reason: reason.trim() } : {},
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['run view', runId] })
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Cancel this run?"
      description="No new steps will start. Finished results are kept, and a retry can reuse them."
      footer={
        <>
          <Button onClick={onClose}>Let it run</Button>
          <Button variant="danger" busy={cancel.isPending} onClick={() => cancel.mutate()}>
            {cancel.isPaused ? 'Waiting for the server' : 'Cancel the run'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>{stillBilled(Object.values(state.calls), nameOf)}</p>
        <Field label="Reason" note="optional">
          {(control) => (
            <TextInput
              {...control}
              value={reason}
              maxLength={500}
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
        {cancel.error && <Failure failure={toApiFailure(cancel.error)} />}
      </div>
    </Dialog>
  )
}
