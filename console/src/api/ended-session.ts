// A session that ends while someone works: sign-in opens over the page, and the calls that met
// the end wait for it. Nothing on the page is lost.
import { create } from 'zustand'
import { ApiFailure } from './api-failure.ts'

type EndedSession = {
  /** Whether sign-in stands over the page. */
  isOpen: boolean
  waiting: { resume(): void; refuse(failure: ApiFailure): void }[]
}

export const useEndedSession = create<EndedSession>(() => ({ isOpen: false, waiting: [] }))

/** Resolves once the person is signed in again; rejects if they leave. */
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
