import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { developerCall } from '#console/api/developer-api.ts'
import { isLongEnough, NewPasswordField } from '#console/shared/new-password-field.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { toast } from '#console/ui/toasts.ts'
import { PasswordField } from './password-field.tsx'

export function PasswordForm() {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [wasSent, setSent] = useState(false)
  const change = useMutation({
    mutationFn: () =>
      developerCall('POST /password', { body: { currentPassword: current, newPassword: next } }),
    onSuccess: () => {
      setCurrent('')
      setNext('')
      setSent(false)
      toast('Password changed', 'Your other sessions have ended.')
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
        hint="All your other sessions will end."
        value={next}
        wasSent={wasSent}
        onChange={setNext}
      />
      <div>
        <Button type="submit" busy={change.isPending} disabled={current === '' || next === ''}>
          Change password
        </Button>
      </div>
    </form>
  )
}
