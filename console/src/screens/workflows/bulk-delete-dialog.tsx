import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { counted } from '#console/lib/counted.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { bulk, type OnChanged, useBulk, type Which } from './bulk.ts'
import { TriggersStop } from './what-stops.tsx'

type BulkDialogProps = { which: Which; onClose(): void; onDone(): void; onChanged: OnChanged }

/** Deleting cannot be undone, so the person must type how many it is about. */
export function BulkDeleteDialog({ which, onClose, ...hooks }: BulkDialogProps) {
  const [typed, setTyped] = useState('')
  const count = which.expectedCount
  const remove = useBulk(() => bulk(which, { action: 'delete' }), hooks)
  const ends = useQuery({
    queryKey: ['what many end', which],
    queryFn: () => bulk(which, { action: 'preview' }),
    staleTime: 0,
    // Refused if they have changed: the deletion says so.
    retry: false,
  })
  const triggers = ends.data?.triggers
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${counted(count, 'workflow')}?`}
      description="All their versions are deleted too. Runs already started will finish and stay readable."
      footer={
        <>
          <Button onClick={onClose}>Keep them</Button>
          <Button
            variant="danger"
            busy={remove.isPending}
            disabled={typed.trim() !== String(count)}
            onClick={() => remove.mutate(undefined)}
          >
            Delete permanently
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {triggers && <TriggersStop {...triggers} />}
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
      </div>
    </Dialog>
  )
}
