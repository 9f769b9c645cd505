import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Credential } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Form } from '#console/ui/form.tsx'
import { bodyOf, draftOf, problemsFrom, problemsOf } from './credential-draft.ts'
import { CredentialForm } from './credential-form.tsx'

type CredentialDialogProps = {
  /** The credential whose secret is replaced; absent for a new one. */
  credential?: Credential
  onClose(): void
}

export function CredentialDialog({ credential, onClose }: CredentialDialogProps) {
  const client = useQueryClient()
  const [draft, setDraft] = useState(() => draftOf(credential))
  const [isDirty, setDirty] = useState(false)
  const [wasSent, setSent] = useState(false)
  const save = useMutation({
    mutationFn: () => {
      const body = bodyOf(draft)
      return credential
        ? consoleCall('PUT /credentials/{name}', { params: { name: credential.name }, body })
        : consoleCall('POST /credentials', { body: { name: draft.name, ...body } })
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['credentials'] })
      onClose()
    },
  })
  const failure = save.error ? toApiFailure(save.error) : null
  const problems = {
    ...(wasSent ? problemsOf(draft) : {}),
    ...(failure ? problemsFrom(failure.issues) : {}),
  }
  const submit = () => {
    setSent(true)
    if (Object.keys(problemsOf(draft)).length === 0) save.mutate()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      dismissible={!isDirty}
      title={credential ? `Replace ${credential.name}` : 'New credential'}
      description={
        credential
          ? 'Requests sent from now on use the new secret.'
          : 'Nodes of your workflows use it by its name; it never becomes part of a workflow.'
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="credential-form" busy={save.isPending}>
            {save.isPaused ? 'Waiting for the server' : credential ? 'Replace' : 'Store credential'}
          </Button>
        </>
      }
    >
      <Form id="credential-form" onSubmit={submit}>
        {failure && failure.issues.length === 0 && <Failure failure={failure} onRetry={submit} />}
        <CredentialForm
          draft={draft}
          problems={problems}
          hasName={credential !== undefined}
          onChange={(next) => {
            setDirty(true)
            setDraft(next)
          }}
        />
      </Form>
    </Dialog>
  )
}
