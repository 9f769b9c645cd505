import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { ApiKey } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { When } from '#console/ui/when.tsx'
import { wasUsedLately } from './key-draft.ts'

/** Revoking cannot be undone; for a key in use, its name must be typed. */
export function RevokeKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) {
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const isInUse = wasUsedLately(apiKey, Date.now())
  const revoke = useMutation({
    mutationFn: () => consoleCall('DELETE /api-keys/{keyId}', { params: { keyId: apiKey.id } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['api-keys'] })
      onClose()
    },
  })
  const mayRevoke = !isInUse || typed.trim() === apiKey.name
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Revoke ${apiKey.name}?`}
      description="Programs that use it will be refused. This cannot be undone."
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button
            variant="danger"
            disabled={!mayRevoke}
            busy={revoke.isPending}
            onClick={() => revoke.mutate()}
          >
            Revoke
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {revoke.error && (
          <Failure failure={toApiFailure(revoke.error)} onRetry={() => revoke.mutate()} />
        )}
        <p>
          <code>{apiKey.display}</code>, last used <When at={apiKey.lastUsedAt} none="never" />.
        </p>
        {isInUse && (
          <Field
            label={`Type “${apiKey.name}” to confirm`}
            hint="It was used within the last day, so something depends on it."
          >
            {(control) => (
              <TextInput
                {...control}
                value={typed}
                autoComplete="off"
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </Field>
        )}
      </div>
    </Dialog>
  )
}
