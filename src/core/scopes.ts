/** What a credential may do if its maker names nothing else. */
export const scopes = [
  'models:read',
  'chat:write',
  'tasks:read',
  'tasks:write',
  'workflows:read',
  'workflows:write',
  'runs:read',
  'runs:write',
] as const

/**
 * Answers what a run waits for. A credential has it only if somebody named it: an agent that starts
 * runs must not be able to approve them.
 */
export const waitScope = 'waits:answer'

/** All that a key or a token can have on the public API. */
export const namedScopes = [...scopes, waitScope] as const

export type Scope = (typeof namedScopes)[number]

export const isScope = (word: string): word is Scope =>
  (namedScopes as readonly string[]).includes(word)

export const isDefaultScope = (word: string): boolean =>
  (scopes as readonly string[]).includes(word)

/** Lets a key call the console API. It is never among the defaults, and no token has it. */
export const developerScope = 'developer'
export const keyScopes = [...namedScopes, developerScope] as const

export type KeyScope = (typeof keyScopes)[number]

export const isKeyScope = (word: string): word is KeyScope =>
  (keyScopes as readonly string[]).includes(word)
