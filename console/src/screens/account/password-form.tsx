import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { dropAccessToken } from '#console/api/access-token.ts'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { counted } from '#console/lib/counted.ts'
import { isLongEnough, NewPasswordField } from '#console/shared/new-password-field.tsx'
import { RevokeKeysChoice } from '#console/shared/revoke-keys-choice.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { toast } from '#console/ui/toasts.ts'
import { PasswordField } from './password-field.tsx'

export function PasswordForm() {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [revokeKeys, setRevokeKeys] = useState(false)
  const [wasSent, setSent] = useState(false)
  const change = useMutation({
    mutationFn: () =>
      consoleCall('POST /password', {
        body: { currentPassword: current, newPassword: next, revokeKeys },
      }),
    onSuccess: ({ revokedKeys }) => {
      // The server refuses tokens from before the change.
      dropAccessToken()
      setCurrent('')
      setNext('')
      setSent(false)
      setRevokeKeys(false)
      const keys = revokedKeys === 0 ? '' : ` ${counted(revokedKeys, 'key')} revoked.`
      toast('Password changed', `Your other sessions and connected apps have ended.${keys}`)
    },
  })
  const failure = change.error ? toApiFailure(change.error) : null
  const isWrong = failure?.code === 'INVALID_CREDENTIAL'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (isLongEnough(next)) change.mutate()
  }
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
      {failure && !isWrong && <Failure failure={failure} />}
      <PasswordField
        value={current}
        onChange={setCurrent}
        problem={isWrong ? failure.message : null}
      />
      <NewPasswordField
        label="New password"
        hint="All your other sessions will end, and connected apps will be disconnected."
        value={next}
        wasSent={wasSent}
        onChange={setNext}
      />
      <RevokeKeysChoice checked={revokeKeys} onChange={setRevokeKeys} />
      <div>
        <Button type="submit" busy={change.isPending} disabled={current === '' || next === ''}>
          Change password
        </Button>
      </div>
    </form>
  )
}
