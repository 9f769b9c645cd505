import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '#console/api/session.ts'
import { Entrance } from '#console/shared/entrance.tsx'
import { SignInForm } from '#console/shared/sign-in-form.tsx'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { SignUpForm } from './sign-up-form.tsx'

const problems: Record<string, string> = {
  unavailable: 'Your organisation’s sign-in is not responding. Try again in a moment.',
  denied: 'Your organisation did not let you in.',
  expired: 'The sign-in took too long or was started in another window. Try again.',
  refused: 'The response from your organisation’s sign-in could not be verified. Try again.',
  'sign-up-closed': 'This server does not accept new accounts. Ask an owner for an invitation.',
  disabled: 'Your account is disabled. Ask the owner of this server.',
}

const route = getRouteApi('/sign-in')

export function SignInScreen() {
  const { to, error, authorize } = route.useSearch()
  const router = useRouter()
  const takesPeople = useSession().data?.signUpOpen ?? false
  const [isNew, setNew] = useState(false)
  const title = isNew ? 'Create an account' : 'Sign in to Atelier'
  const problem = error === undefined ? null : (problems[error] ?? 'Signing in failed.')
  // The page on which an app asks for access is not part of the console.
  const enter = (path: string) =>
    authorize === undefined
      ? router.history.push(`/console${path}`)
      : location.assign(`/oauth/authorize?${authorize}`)
  return (
    <Entrance title={title}>
      {problem && <Banner tone="bad" role="alert" title={problem} />}
      {authorize !== undefined && (
        <Banner tone="info" title="An app is asking for access">
          Sign in to decide what it may do.
        </Banner>
      )}
      <div className="rounded-md border border-line bg-card p-6">
        {isNew ? (
          <SignUpForm onSignedIn={() => enter('/welcome')} />
        ) : (
          <SignInForm onSignedIn={() => enter(to ?? '/')} authorize={authorize} />
        )}
      </div>
      {takesPeople ? (
        <Button variant="quiet" onClick={() => setNew(!isNew)}>
          {isNew ? 'I have an account' : 'Create an account'}
        </Button>
      ) : (
        <p className="text-soft text-sm">
          First time here? Open the link that the server printed when it started, or the invitation
          that an owner sent you.
        </p>
      )}
      {!isNew && (
        <details className="text-soft text-sm">
          <summary>Forgot your password?</summary>
          <p className="mt-1">
            An owner of your account can make a link for you under Members; it sets a new password.
            If you are the only owner, whoever runs the server can print one with{' '}
            <code>atelier reset-owner</code>.
          </p>
        </details>
      )}
      <p className="text-soft text-sm">
        The{' '}
        <a href="/docs" className="text-accent underline">
          API reference
        </a>{' '}
        is open to everyone.
      </p>
    </Entrance>
  )
}
