import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { ApiKey, NewApiKey } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Form } from '#console/ui/form.tsx'
import { bodyOf, draftOf, emptyDraft, problemsFrom, problemsOf } from './key-draft.ts'
import { KeyForm } from './key-form.tsx'

type KeyDialogProps = {
  /** The key to change; absent for a new one. */
  apiKey?: ApiKey | undefined
  onClose(): void
  onMade(key: NewApiKey): void
}

export function KeyDialog({ apiKey, onClose, onMade }: KeyDialogProps) {
  const client = useQueryClient()
  const [draft, setDraft] = useState(() => (apiKey ? draftOf(apiKey) : emptyDraft()))
  const [isDirty, setDirty] = useState(false)
  const [wasSent, setSent] = useState(false)
  const save = useMutation({
    mutationFn: async () => {
      const body = bodyOf(draft, apiKey)
      if (!apiKey) return onMade(await consoleCall('POST /api-keys', { body }))
      await consoleCall('PUT /api-keys/{keyId}', { params: { keyId: apiKey.id }, body })
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['api-keys'] })
      onClose()
    },
  })
  const failure = save.error ? toApiFailure(save.error) : null
  const problems = {
    ...(wasSent ? problemsOf(draft, Date.now()) : {}),
    ...(failure ? problemsFrom(failure.issues) : {}),
  }
  const submit = () => {
    setSent(true)
    if (Object.keys(problemsOf(draft, Date.now())).length === 0) save.mutate()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      dismissible={!isDirty}
      title={apiKey ? `Change ${apiKey.name}` : 'New API key'}
      description={
        apiKey
          ? 'Changes take effect everywhere within 5 seconds.'
          : 'Programs use it to call the API in your name.'
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="key-form" busy={save.isPending}>
            {save.isPaused ? 'Waiting for the server' : apiKey ? 'Save' : 'Create key'}
          </Button>
        </>
      }
    >
      <Form id="key-form" onSubmit={submit}>
        {failure && failure.issues.length === 0 && <Failure failure={failure} onRetry={submit} />}
        <KeyForm
          draft={draft}
          problems={problems}
          onChange={(next) => {
            setDirty(true)
            setDraft(next)
          }}
        />
      </Form>
    </Dialog>
  )
}
