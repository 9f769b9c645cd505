import { useMutation, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { join, useSession } from '#console/api/session.ts'
import { Entrance } from '#console/shared/entrance.tsx'
import { isLongEnough, NewPasswordField } from '#console/shared/new-password-field.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { linkToken } from './link-token.ts'

/** The screen that an invitation link opens. */
export function JoinScreen() {
  const [token] = useState(() => linkToken(location.hash))
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => consoleCall('POST /invitations/show', { body: { token }, signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Entrance title="Join Atelier">
      <div className="rounded-md border border-line bg-card p-6">
        <Loadable query={invitation} skeleton={<Skeleton className="h-32 w-full" />}>
          {({ email, role, accountName }) => (
            <div className="flex flex-col gap-4">
              <p className="[overflow-wrap:anywhere]">
                You are invited to the account <b className="font-semibold">{accountName}</b> with
                the role {role}. You will sign in as <b className="font-semibold">{email}</b>.
              </p>
              <JoinForm token={token} email={email} />
            </div>
          )}
        </Loadable>
      </div>
    </Entrance>
  )
}

function JoinForm({ token, email }: { token: string; email: string }) {
  const router = useRouter()
  const hasOidc = useSession().data?.oidc ?? false
  const [password, setPassword] = useState('')
  const [wasSent, setSent] = useState(false)
  const enter = useMutation({
    mutationFn: () => join(token, password),
    // The link is used up and must not stay in the history.
    onSuccess: () => router.history.replace('/console/'),
  })
  const leave = useMutation({
    mutationFn: () => consoleCall('POST /oidc/link', { body: { kind: 'invitation', token } }),
    onSuccess: ({ address }) => location.assign(address),
  })
  const error = enter.error ?? leave.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (isLongEnough(password)) enter.mutate()
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      {error && <Failure failure={{ message: toApiFailure(error).message }} />}
      {/* For password managers, which would otherwise store a password without a user name. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <NewPasswordField
        label="Choose a password"
        value={password}
        wasSent={wasSent}
        onChange={setPassword}
      />
      <Button type="submit" variant="primary" busy={enter.isPending}>
        Join
      </Button>
      {hasOidc && (
        <Button busy={leave.isPending} onClick={() => leave.mutate()}>
          Join with your organisation
        </Button>
      )}
    </form>
  )
}
