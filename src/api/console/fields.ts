import { roles } from '#core/roles.ts'
import { Type } from '#core/schema.ts'
import { keyScopes, namedScopes } from '#core/scopes.ts'
import { Named } from '../named.ts'
import {
  Name as AnyName,
  Closed,
  NamedRecord,
  Nullable,
  OneOf,
  Uuid,
  unstorable,
} from '../schemas.ts'

export const Name = AnyName(100)
/** A query parameter: any text that could be the name of a model. */
export const ModelName = Type.String({ maxLength: 200, pattern: `^[^${unstorable}]+$` })
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: `^[^\\s@${unstorable}]+@[^\\s@${unstorable}]+$`,
})
export const NewPassword = Type.String({ minLength: 12, maxLength: 128 })
/** Has no minimum length, so that a short wrong password is refused as wrong, not as too short. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 128 })
/** What follows `#token=` in a link that the server made. */
export const LinkToken = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'From the link.',
})
export const RevokeKeys = Type.Optional(
  Type.Boolean({ description: 'Also revokes the API keys you made. Default: they stay.' }),
)
export const RevokedKeys = Type.Integer({ minimum: 0, description: 'How many keys were revoked.' })
/** For the audit log. */
export const keysText = (how: string, revokedKeys: number): string =>
  revokedKeys === 0 ? how : `${how}, ${revokedKeys} API keys revoked`
export const SignInCode = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'Six digits of your authenticator app, or a recovery code.',
})
export const Scopes = Type.Array(OneOf(namedScopes), { minItems: 1, uniqueItems: true })
export const KeyScopes = Type.Array(Named('Scope', OneOf(keyScopes)), {
  minItems: 1,
  uniqueItems: true,
})

export const SignedIn = NamedRecord('SignedIn', {
  user: Closed({ id: Uuid('The signed-in person.'), email: Nullable(Type.String()) }),
  account: Closed({ id: Uuid('Their account.') }),
  role: Named('Role', OneOf(roles)),
})

export const cookieHeader = {
  'Set-Cookie': { schema: Type.String(), description: 'The session cookie.' },
}

/** Stored in lower case, so that an e-mail has one spelling. */
export const toStoredEmail = (email: string): string => email.toLowerCase()
