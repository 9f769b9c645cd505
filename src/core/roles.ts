import { type KeyScope, keyScopes, namedScopes, type Scope, scopes } from './scopes.ts'

/** What a person may do in their account, from the least to the most. */
export const roles = ['viewer', 'editor', 'owner'] as const

export type Role = (typeof roles)[number]

export const hasRole = (role: Role, needed: Role): boolean =>
  roles.indexOf(role) >= roles.indexOf(needed)

const readScopes = scopes.filter((scope) => scope.endsWith(':read'))

/** The most that a token made by a person with this role can do. */
export const scopesOf = (role: Role): readonly Scope[] =>
  role === 'viewer' ? readScopes : namedScopes

/** The most that a key made by a person with this role can do. */
export const keyScopesOf = (role: Role): readonly KeyScope[] =>
  role === 'viewer' ? readScopes : keyScopes
