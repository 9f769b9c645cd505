import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { ConnectedApp } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'

export function DisconnectDialog({ app, onClose }: { app: ConnectedApp; onClose(): void }) {
  const client = useQueryClient()
  const disconnect = useMutation({
    mutationFn: () => consoleCall('DELETE /connected-apps/{appId}', { params: { appId: app.id } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['connected-apps'] })
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Disconnect ${app.name}?`}
      description="Its access ends within 5 seconds. It can ask you for access again."
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button variant="danger" busy={disconnect.isPending} onClick={() => disconnect.mutate()}>
            Disconnect
          </Button>
        </>
      }
    >
      {disconnect.error && (
        <Failure failure={toApiFailure(disconnect.error)} onRetry={() => disconnect.mutate()} />
      )}
    </Dialog>
  )
}
