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

export type Scope = (typeof scopes)[number]

export const isScope = (word: string): word is Scope => (scopes as readonly string[]).includes(word)

/** Lets a key call the console API. It is never among the defaults, and no token has it. */
export const developerScope = 'developer'
export const keyScopes = [...scopes, developerScope] as const

export type KeyScope = (typeof keyScopes)[number]

export const isKeyScope = (word: string): word is KeyScope =>
  (keyScopes as readonly string[]).includes(word)
