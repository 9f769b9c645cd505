import { useState } from 'react'
import { type ApiFailure, toApiFailure } from '#console/api/api-failure.ts'
import { deleteWorkflow } from '#console/canvas/calls.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { WhatStops } from './what-stops.tsx'

type DeleteDialogProps = {
  workflow: { id: number; name: string }
  onClose(): void
  onDeleted(): void
}

/** Deleting cannot be undone, so the person must type the exact id. */
export function DeleteDialog({ workflow, onClose, onDeleted }: DeleteDialogProps) {
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiFailure | null>(null)
  const remove = async () => {
    setBusy(true)
    try {
      await deleteWorkflow(workflow.id)
      onDeleted()
    } catch (error) {
      setFailure(toApiFailure(error))
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${workflow.name}?`}
      description="All its versions are deleted too. Runs already started will finish and stay readable."
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button
            variant="danger"
            busy={isBusy}
            disabled={typed.trim() !== String(workflow.id)}
            onClick={remove}
          >
            Delete permanently
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <WhatStops workflowId={workflow.id} />
        <Field label={`Type ${workflow.id} to confirm`} hint="The workflow’s number.">
          {(control) => (
            <TextInput
              {...control}
              inputMode="numeric"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Field>
        {failure && <Failure failure={failure} />}
      </div>
    </Dialog>
  )
}
