import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { NewInvitation, Role } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { Form } from '#console/ui/form.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { roleHint, roleOptions } from './role-words.ts'

type InviteDialogProps = { onClose(): void; onMade(made: NewInvitation): void }

export function InviteDialog({ onClose, onMade }: InviteDialogProps) {
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('editor')
  const [wasSent, setSent] = useState(false)
  const invite = useMutation({
    mutationFn: () => consoleCall('POST /invitations', { body: { email: email.trim(), role } }),
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: ['invitations'] })
      onMade(made)
      onClose()
    },
  })
  const failure = invite.error ? toApiFailure(invite.error) : null
  const ofEmail = failure?.issues.some(({ path }) => path === '/email') ? failure.message : null
  const shape = /^\S+@\S+$/.test(email.trim())
    ? null
    : 'Enter an e-mail address with an @ and no spaces.'
  const submit = () => {
    setSent(true)
    if (shape === null) invite.mutate()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Invite to this account"
      description="You will get a link to send them. They use it to choose a password and join."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="invite-form" busy={invite.isPending}>
            Create link
          </Button>
        </>
      }
    >
      <Form id="invite-form" onSubmit={submit}>
        {failure && !ofEmail && <Failure failure={failure} onRetry={submit} />}
        <Field
          label="E-mail"
          hint="They will sign in with this address."
          problem={(wasSent ? shape : null) ?? ofEmail}
        >
          {(control) => (
            <TextInput
              {...control}
              type="email"
              autoComplete="off"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </Field>
        <Field label="Role" hint={roleHint(role)}>
          {(control) => (
            <Select {...control} options={roleOptions} value={role} onChange={setRole} />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}
