import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { counted } from '#console/lib/counted.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { bulk, type Which } from './bulk.ts'

type BulkDialogProps = { which: Which; onClose(): void; onDone(): void }

/** Deleting cannot be undone, so the person must type how many it is about. */
export function BulkDeleteDialog({ which, onClose, onDone }: BulkDialogProps) {
  const [typed, setTyped] = useState('')
  const count = which.expectedCount
  const remove = useMutation({
    mutationFn: () => bulk(which, { action: 'delete' }),
    onSuccess: onDone,
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${counted(count, 'workflow')}?`}
      description="All their versions are deleted too. Their triggers stop. Runs already started will finish and stay readable."
      footer={
        <>
          <Button onClick={onClose}>Keep them</Button>
          <Button
            variant="danger"
            busy={remove.isPending}
            disabled={typed.trim() !== String(count)}
            onClick={() => remove.mutate()}
          >
            Delete permanently
          </Button>
        </>
      }
    >
      <Field label={`Type ${count} to confirm`} hint="How many workflows are deleted.">
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
      {remove.error && <Failure failure={toApiFailure(remove.error)} />}
    </Dialog>
  )
}
