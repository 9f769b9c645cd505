// The state of the key form, and what is sent from it. Pure.
import type { Issue } from '#console/api/api-failure.ts'
import type { ApiKey, KeyLimits, Scope } from '#console/api/types.ts'

export const scopeTexts: Record<Scope, string> = {
  'models:read': 'List models and prices',
  'chat:write': 'Ask text models',
  'tasks:read': 'Read image and video tasks',
  'tasks:write': 'Generate images and video',
  'workflows:read': 'Read workflows',
  'workflows:write': 'Create, change and delete workflows',
  'runs:read': 'Read runs and their results',
  'runs:write': 'Start and cancel runs',
  'waits:answer': 'Approve and reject what runs wait for, in your name',
  developer: 'Manage keys, credentials and webhooks in your name',
}
export const allScopes = Object.keys(scopeTexts) as Scope[]
/** No preset includes these two: they must be chosen explicitly. */
const usual = allScopes.filter((scope) => scope !== 'developer' && scope !== 'waits:answer')

export type Preset = 'everything' | 'generate' | 'run' | 'read' | 'custom'

const presetScopes: Record<Exclude<Preset, 'custom'>, Scope[]> = {
  everything: usual,
  generate: ['models:read', 'chat:write', 'tasks:read', 'tasks:write'],
  run: ['workflows:read', 'runs:read', 'runs:write'],
  read: ['models:read', 'tasks:read', 'workflows:read', 'runs:read'],
}

export const presets: { value: Preset; label: string }[] = [
  { value: 'everything', label: 'Everything' },
  { value: 'generate', label: 'Generate text, images and video' },
  { value: 'run', label: 'Run stored workflows' },
  { value: 'read', label: 'Read only' },
  { value: 'custom', label: 'Custom permissions' },
]

/** The preset that consists of these scopes, in any order. */
export function presetOf(scopes: readonly Scope[]): Preset {
  const wanted = [...scopes].sort().join()
  const found = Object.entries(presetScopes).find(
    ([, members]) => [...members].sort().join() === wanted,
  )
  return (found?.[0] as Preset | undefined) ?? 'custom'
}

export const scopesOf = (preset: Preset, current: Scope[]): Scope[] =>
  preset === 'custom' ? current : presetScopes[preset]

export type LimitName = keyof KeyLimits
export const limitTexts: Record<LimitName, string> = {
  spendPerMonth: 'Spend per month, in USD',
  requestsPerMinute: 'Requests per minute',
  chatPerMinute: 'Chats per minute',
  generationPerMinute: 'Images and videos per minute',
  runPerMinute: 'Runs per minute',
}

export type KeyDraft = {
  name: string
  scopes: Scope[]
  isCustom: boolean
  /** A day such as `2026-12-31`; empty for never. */
  expiresOn: string
  /** As typed; empty means no limit. */
  limits: Record<LimitName, string>
}

export const emptyDraft = (): KeyDraft => ({
  name: '',
  scopes: usual,
  isCustom: false,
  expiresOn: '',
  limits: {
    spendPerMonth: '',
    requestsPerMinute: '',
    chatPerMinute: '',
    generationPerMinute: '',
    runPerMinute: '',
  },
})

export function draftOf(key: ApiKey): KeyDraft {
  const limits = emptyDraft().limits
  for (const [name, value] of Object.entries(key.limits)) limits[name as LimitName] = String(value)
  return {
    name: key.name,
    scopes: key.scopes,
    isCustom: presetOf(key.scopes) === 'custom',
    expiresOn: key.expiresAt?.slice(0, 10) ?? '',
    limits,
  }
}

export type KeyProblems = Partial<Record<'name' | 'scopes' | 'expiresOn' | LimitName, string>>

/** Reports what the server would refuse, before anything is sent. */
export function problemsOf(draft: KeyDraft, nowMs: number): KeyProblems {
  const problems: KeyProblems = {}
  if (draft.name.trim() === '') problems.name = 'Give it a name you will recognise.'
  if (draft.scopes.length === 0) problems.scopes = 'Choose at least one permission.'
  if (draft.expiresOn !== '' && Date.parse(endOfDay(draft.expiresOn)) <= nowMs)
    problems.expiresOn = 'Choose a day in the future.'
  for (const [name, text] of Object.entries(draft.limits) as [LimitName, string][]) {
    const value = Number(text)
    if (text.trim() === '') continue
    if (name === 'spendPerMonth') {
      if (!(value >= 0)) problems[name] = 'Enter 0 or more, or leave empty for no limit.'
    } else if (!Number.isInteger(value) || value < 1)
      problems[name] = 'Enter a whole number of at least 1, or leave empty for no limit.'
  }
  return problems
}

/** The last second of the day, UTC: the key is still valid on the day shown. */
const endOfDay = (day: string): string => `${day}T23:59:59.000Z`

/** Keeps a key's exact expiry time if its day was not changed. */
export function bodyOf(draft: KeyDraft, before?: ApiKey) {
  const limits: KeyLimits = {}
  for (const [name, text] of Object.entries(draft.limits) as [LimitName, string][])
    if (text.trim() !== '') limits[name] = Number(text)
  const isSameDay = before?.expiresAt?.slice(0, 10) === draft.expiresOn
  const expiresAt = draft.expiresOn === '' ? null : endOfDay(draft.expiresOn)
  return {
    name: draft.name.trim(),
    scopes: draft.scopes,
    limits,
    expiresAt: isSameDay ? (before?.expiresAt ?? null) : expiresAt,
  }
}

/** Maps the server's issues to the fields they are about. */
export function problemsFrom(issues: readonly Issue[]): KeyProblems {
  const problems: KeyProblems = {}
  for (const { path, message } of issues) {
    const [, first = '', second = ''] = path.split('/')
    const field = first === 'limits' ? second : first === 'expiresAt' ? 'expiresOn' : first
    problems[field as keyof KeyProblems] = message
  }
  return problems
}

export type KeyState = 'live' | 'expired' | 'revoked'

export function keyState(key: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, nowMs: number): KeyState {
  if (key.revokedAt !== null) return 'revoked'
  return key.expiresAt !== null && Date.parse(key.expiresAt) <= nowMs ? 'expired' : 'live'
}

/** Something may depend on it, so revoking it requires typing its name. */
export const wasUsedLately = (key: Pick<ApiKey, 'lastUsedAt'>, nowMs: number): boolean =>
  key.lastUsedAt !== null && nowMs - Date.parse(key.lastUsedAt) < 86_400_000
