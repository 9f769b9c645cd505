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
