import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { Entrance } from '#console/shared/entrance.tsx'
import { isLongEnough, NewPasswordField } from '#console/shared/new-password-field.tsx'
import { RevokeKeysChoice } from '#console/shared/revoke-keys-choice.tsx'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Failure } from '#console/ui/failure.tsx'
import { linkToken } from './link-token.ts'

/** The screen that a recovery link opens. */
export function RecoverScreen() {
  const [token] = useState(() => linkToken(location.hash))
  const [password, setPassword] = useState('')
  const [revokeKeys, setRevokeKeys] = useState(false)
  const [wasSent, setSent] = useState(false)
  const recover = useMutation({
    mutationFn: () => consoleCall('POST /recover', { body: { token, password, revokeKeys } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (isLongEnough(password)) recover.mutate()
  }
  return (
    <Entrance title="Set a new password">
      <div className="rounded-md border border-line bg-card p-6">
        {recover.data ? (
          <div className="flex flex-col gap-4">
            <Banner tone="good" role="status" title="Your password has been changed">
              All your sessions and connected apps have ended. Sign in
              {recover.data.email && ` as ${recover.data.email}`} with the new password.
            </Banner>
            <Link to="/sign-in" className={buttonClass('primary')}>
              Sign in
            </Link>
          </div>
        ) : (
          <form noValidate onSubmit={submit} className="flex flex-col gap-4">
            {recover.error && (
              <Failure failure={{ message: toApiFailure(recover.error).message }} />
            )}
            <NewPasswordField
              label="New password"
              hint="All your sessions will end, and connected apps will be disconnected."
              value={password}
              wasSent={wasSent}
              onChange={setPassword}
            />
            <RevokeKeysChoice checked={revokeKeys} onChange={setRevokeKeys} />
            <Button type="submit" variant="primary" busy={recover.isPending}>
              Set the password
            </Button>
          </form>
        )}
      </div>
    </Entrance>
  )
}
