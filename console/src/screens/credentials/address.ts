/** `?new=true` opens the form, `?replace=` the form for that credential's new secret. */
export type CredentialsSearch = { new?: true; replace?: string }

export const credentialsSearch = (search: Record<string, unknown>): CredentialsSearch => ({
  ...(search.new === true ? { new: true } : {}),
  ...(typeof search.replace === 'string' ? { replace: search.replace } : {}),
})
