import type { StandIns } from './pricing.ts'
import type { Role } from './roles.ts'
import type { Routes } from './route.ts'
import type { KeyScope } from './scopes.ts'

/** Limits an operator set for one key; absent means none. */
export type KeyLimits = {
  requestsPerMinute?: number
  chatPerMinute?: number
  generationPerMinute?: number
  runPerMinute?: number
  spendPerMonthMicros?: number
}

/** Who is calling: the result of checking a bearer credential. */
export type Principal = {
  accountId: string
  userId: string | null
  keyId: string | null
  scopes: ReadonlySet<KeyScope>
  /** The role of the person who made the key; absent if no person did. */
  role?: Role
  limits: KeyLimits
  /** The limit of the whole account for a calendar month; null means no limit. */
  accountSpendPerMonthMicros: number | null
} & ModelChoices

/** What an account has decided about models; nothing is there that it has not. */
export type ModelChoices = {
  standIns?: StandIns | undefined
  routes?: Routes | undefined
}

/** Picks the choices out of something that has them. */
export const choicesOf = ({ standIns, routes }: ModelChoices): ModelChoices => ({
  ...(standIns ? { standIns } : {}),
  ...(routes ? { routes } : {}),
})
