import { useEffect, useRef } from 'react'
import { refuseSignIn, resumeAfterSignIn, useEndedSession } from '#console/api/ended-session.ts'
import { reloadSession, useSession } from '#console/api/session.ts'
import { SignInForm } from '#console/shared/sign-in-form.tsx'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'

/** The session has ended: a sign-in dialog opens over the page, whose contents stay. */
export function SignInOver() {
  const isOpen = useEndedSession((state) => state.isOpen)
  const known = useSession().data?.session
  const before = useRef(known)
  if (known) before.current = known
  const finish = async () => {
    const { session } = await reloadSession()
    if (!session) return
    // Someone else must not continue with this person's page.
    if (before.current && session.account.id !== before.current.account.id)
      location.assign('/console/')
    else resumeAfterSignIn()
  }
  const latest = useRef(finish)
  latest.current = finish
  useEffect(() => {
    if (!isOpen) return
    // The person may have signed in in another tab before returning to this one.
    const onFocus = () => void latest.current()
    window.addEventListener('focus', onFocus)
    return () => window.removeEventListener('focus', onFocus)
  }, [isOpen])
  return (
    <Dialog
      open={isOpen}
      onClose={refuseSignIn}
      dismissible={false}
      title="Your session has ended"
      description="Sign in to continue where you left off. Nothing on the page is lost."
      footer={<Button onClick={refuseSignIn}>Not now</Button>}
    >
      <SignInForm
        onSignedIn={() => void finish()}
        oidcTarget="_blank"
        email={before.current?.user.email ?? undefined}
      />
    </Dialog>
  )
}
