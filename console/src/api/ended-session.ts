// When a session ends while someone is working, a sign-in dialog opens over the page and the calls
// that were refused wait for it. Nothing on the page is lost.
import { create } from 'zustand'
import { ApiFailure } from './api-failure.ts'

type EndedSession = {
  /** Whether the sign-in dialog is open. */
  isOpen: boolean
  waiting: { resume(): void; refuse(failure: ApiFailure): void }[]
}

export const useEndedSession = create<EndedSession>(() => ({ isOpen: false, waiting: [] }))

/** Resolves once the person has signed in again; rejects if they decline. */
export function waitForSignIn(): Promise<void> {
  return new Promise((resume, refuse) => {
    useEndedSession.setState(({ waiting }) => ({
      isOpen: true,
      waiting: [...waiting, { resume, refuse }],
    }))
  })
}

export function resumeAfterSignIn(): void {
  const { waiting } = useEndedSession.getState()
  useEndedSession.setState({ isOpen: false, waiting: [] })
  for (const { resume } of waiting) resume()
}

export function refuseSignIn(): void {
  const { waiting } = useEndedSession.getState()
  useEndedSession.setState({ isOpen: false, waiting: [] })
  const failure = new ApiFailure({
    status: 401,
    code: 'AUTH_REQUIRED',
    message: 'You are signed out.',
    retryable: false,
  })
  for (const { refuse } of waiting) refuse(failure)
}
