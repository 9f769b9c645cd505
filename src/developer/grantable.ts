import { Failure } from '#core/errors.ts'
import { type Role, scopesOf } from '#core/roles.ts'
import type { Scope } from '#core/scopes.ts'

/** What a new token may do: all that its maker may, unless they ask for less. */
export function grantable(role: Role, wanted: readonly Scope[] | undefined): readonly Scope[] {
  const allowed = scopesOf(role)
  const missing = wanted?.find((scope) => !allowed.includes(scope))
  if (missing === undefined) return wanted ?? allowed
  throw new Failure('INSUFFICIENT_ROLE', {
    message: `Your role in this account does not include the scope ${missing}.`,
    details: { scope: missing },
  })
}
