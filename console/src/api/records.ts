// The developer area's records that the frame and its screens read.
export type SessionInfo = {
  session: { user: { id: string; email: string | null }; account: { id: string } } | null
  signUpOpen: boolean
  oidc: boolean
}
