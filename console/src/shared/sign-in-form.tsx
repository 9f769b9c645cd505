import { type FormEvent, useState } from 'react'
import { type ApiFailure, toApiFailure } from '#console/api/api-failure.ts'
import { consolePrefix } from '#console/api/console-api.ts'
import { signIn, useSession } from '#console/api/session.ts'
import { Button } from '#console/ui/button.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { CodeField } from './code-field.tsx'

type SignInFormProps = {
  onSignedIn(): void
  /** A new tab if the page below must not be left. */
  oidcTarget?: '_self' | '_blank'
  email?: string | undefined
  /** An app's authorization request, to which the organisation's sign-in returns. */
  authorize?: string | undefined
}

export function SignInForm({
  onSignedIn,
  oidcTarget = '_self',
  email,
  authorize,
}: SignInFormProps) {
  const hasOidc = useSession().data?.oidc ?? false
  const [failure, setFailure] = useState<ApiFailure | null>(null)
  const [isBusy, setBusy] = useState(false)
  // E-mail and password stay in their fields, so that the second step sends all three.
  const [needsCode, setNeedsCode] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    setBusy(true)
    setFailure(null)
    try {
      const code = fields.get('code')
      await signIn(
        String(fields.get('email')),
        String(fields.get('password')),
        code === null ? undefined : String(code),
      )
      onSignedIn()
    } catch (error) {
      const refusal = toApiFailure(error)
      if (refusal.code === 'CODE_REQUIRED') setNeedsCode(true)
      else setFailure(refusal)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="flex flex-col gap-4">
      {failure && <Failure failure={{ message: failure.message }} />}
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="E-mail">
          {(control) => (
            <TextInput
              {...control}
              name="email"
              type="email"
              autoComplete="username"
              defaultValue={email}
              required
            />
          )}
        </Field>
        <Field label="Password">
          {(control) => (
            <TextInput
              {...control}
              name="password"
              type="password"
              autoComplete="current-password"
              required
            />
          )}
        </Field>
        {needsCode && <CodeField name="code" />}
        <Button type="submit" variant="primary" busy={isBusy}>
          Sign in
        </Button>
      </form>
      {hasOidc && (
        <a
          href={`${consolePrefix}/oidc/start${authorize === undefined ? '' : `?${new URLSearchParams({ authorize })}`}`}
          target={oidcTarget}
          rel="noopener"
          className={buttonClass('secondary')}
        >
          Sign in with your organisation
        </a>
      )}
    </div>
  )
}
