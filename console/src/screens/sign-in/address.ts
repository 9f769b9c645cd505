/** Where to go after sign-in, and what went wrong at an OpenID provider. */
export type SignInSearch = {
  to?: string
  error?: string
  /** The query of an app that is waiting for the person at `/oauth/authorize`. */
  authorize?: string
}

export const signInSearch = (search: Record<string, unknown>): SignInSearch => ({
  ...(typeof search.to === 'string' && isOwnPath(search.to) ? { to: search.to } : {}),
  ...(typeof search.error === 'string' ? { error: search.error } : {}),
  ...(typeof search.authorize === 'string' ? { authorize: search.authorize } : {}),
})

/** Only a path of this console: `//host` and `https:` would lead elsewhere. */
const isOwnPath = (path: string): boolean => /^\/(?![/\\])/.test(path)
