import { defaultTagKey, type Spending } from './budgets.ts'
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
} & AccountChoices &
  Counted

/** What calls count under, besides account and key. */
export type Counted = {
  /** As the caller sent it; otherwise that of the workflow or of the key. */
  tag?: string | undefined
  isTagSent?: boolean
  /** Of a run. */
  workflowId?: number | undefined
  /** Of a run: a budget applied when it was accepted, so that all are looked up for its calls. */
  isBudgeted?: boolean
}

/** What an account has decided about models; nothing is there that it has not. */
export type ModelChoices = {
  standIns?: StandIns | undefined
  routes?: Routes | undefined
}

/** The same, and about its spending. */
export type AccountChoices = ModelChoices & { spending?: Spending | undefined }

/** Picks the choices out of something that has them. */
export const choicesOf = ({ standIns, routes }: ModelChoices): ModelChoices => ({
  ...(standIns ? { standIns } : {}),
  ...(routes ? { routes } : {}),
})

/** The choices of an account, and the tag that it gave to a key. */
export function accountChoices(
  account: AccountChoices,
  keyId: string | null,
): AccountChoices & Pick<Counted, 'tag'> {
  const { spending } = account
  const tag = keyId === null ? undefined : spending?.tags?.[defaultTagKey('key', keyId)]
  return {
    ...choicesOf(account),
    ...(spending ? { spending } : {}),
    ...(tag === undefined ? {} : { tag }),
  }
}
