import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { signUp } from '#console/api/session.ts'
import { isLongEnough, NewPasswordField } from '#console/shared/new-password-field.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'

/** For servers that accept new people. */
export function SignUpForm({ onSignedIn }: { onSignedIn(): void }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [wasSent, setSent] = useState(false)
  const create = useMutation({ mutationFn: () => signUp(email, password), onSuccess: onSignedIn })
  const failure = create.error ? toApiFailure(create.error) : null
  const emailIssue = failure?.issues.find(({ path }) => path === '/email')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (isLongEnough(password)) create.mutate()
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      {failure && !emailIssue && <Failure failure={{ message: failure.message }} />}
      <Field label="E-mail" problem={emailIssue && failure?.message}>
        {(control) => (
          <TextInput
            {...control}
            type="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <NewPasswordField
        label="Password"
        value={password}
        wasSent={wasSent}
        onChange={setPassword}
      />
      <Button type="submit" variant="primary" busy={create.isPending} disabled={email === ''}>
        Create account
      </Button>
    </form>
  )
}
