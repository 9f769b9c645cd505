import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Credential } from '#console/api/types.ts'
import { UsedByWorkflows } from '#console/shared/used-by-workflows.tsx'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { When } from '#console/ui/when.tsx'

type DeleteCredentialDialogProps = { credential: Credential; onClose(): void }

export function DeleteCredentialDialog({ credential, onClose }: DeleteCredentialDialogProps) {
  const client = useQueryClient()
  const { name, lastUsedAt } = credential
  const remove = useMutation({
    mutationFn: () => consoleCall('DELETE /credentials/{name}', { params: { name } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['credentials'] })
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      description="Nodes that refer to it will fail. The secret cannot be recovered."
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {remove.error && (
          <Failure failure={toApiFailure(remove.error)} onRetry={() => remove.mutate()} />
        )}
        <p>
          <UsedByWorkflows word={`credential:${name};`} none="No workflow uses it." />
        </p>
        <p>
          Last used: <When at={lastUsedAt} none="never" />.
        </p>
      </div>
    </Dialog>
  )
}
