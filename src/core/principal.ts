import type { StandIns } from './pricing.ts'
import type { Role } from './roles.ts'
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
  /** Absent if the account has chosen none. */
  standIns?: StandIns
}
