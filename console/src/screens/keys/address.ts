/** `?new=true` opens the form, `?edit=` a key's settings, `?revoked=true` also shows ended keys. */
export type KeysSearch = { new?: true; edit?: string; revoked?: true }

export const keysSearch = (search: Record<string, unknown>): KeysSearch => ({
  ...(search.new === true ? { new: true } : {}),
  ...(typeof search.edit === 'string' ? { edit: search.edit } : {}),
  ...(search.revoked === true ? { revoked: true } : {}),
})
