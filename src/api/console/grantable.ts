import { Failure } from '#core/errors.ts'
import { type Role, scopesOf } from '#core/roles.ts'
import type { Scope } from '#core/scopes.ts'

/** The scopes of a new token: all that its maker's role allows, unless they ask for fewer. */
export function grantable(role: Role, wanted: readonly Scope[] | undefined): readonly Scope[] {
  const allowed = scopesOf(role)
  const missing = wanted?.find((scope) => !allowed.includes(scope))
  if (missing === undefined) return wanted ?? allowed
  throw new Failure('INSUFFICIENT_ROLE', {
    message: `Your role in this account does not include the scope ${missing}.`,
    details: { scope: missing },
  })
}
