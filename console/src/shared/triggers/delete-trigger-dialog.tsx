import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { Trigger } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { deleteTrigger } from './calls.ts'

export function DeleteTriggerDialog({ trigger, onClose }: { trigger: Trigger; onClose(): void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteTrigger(trigger),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['triggers'] })
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${trigger.name}?`}
      description={
        trigger.kind === 'WEBHOOK'
          ? 'Its address answers 410 from then on. Runs under way go on.'
          : 'It starts nothing more. Runs under way go on.'
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
            Delete trigger
          </Button>
        </>
      }
    >
      {remove.error && <Failure failure={toApiFailure(remove.error)} />}
    </Dialog>
  )
}
