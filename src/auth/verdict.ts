import { lowerLimit } from '#core/budgets.ts'
import { accountChoices, type Principal } from '#core/principal.ts'
import type { KeyStanding } from '#store/tables/api-keys.ts'
import { accountDisabled, credentialExpired, invalidCredential } from './bearer.ts'
import type { KeyUse } from './key-usage.ts'
import type { JwtOutcome } from './own-tokens.ts'

/**
 * How long a verdict is reused, measured from before the database read. We promise that a
 * revocation takes effect within 5 s; 4 s leaves a second to spare.
 */
export const trustMs = 4_000

export type Trusted = {
  principal: Principal
  readAtMs: number
  expiresAtMs: number
  /** Records when an API key was last used; null for a JWT. */
  use: KeyUse | null
}
export type Refused = { refusal: 'INVALID_CREDENTIAL' | 'ACCOUNT_DISABLED'; readAtMs: number }
export type Verdict = Trusted | Refused

type Circumstances = { readAtMs: number; spendLimitMicros: number | null }

export function judgeKey(
  key: KeyStanding | null,
  useOf: (keyId: string) => KeyUse,
  { readAtMs, spendLimitMicros }: Circumstances,
): Verdict {
  if (!key || key.revoked) return { refusal: 'INVALID_CREDENTIAL', readAtMs }
  if (key.account.disabled) return { refusal: 'ACCOUNT_DISABLED', readAtMs }
  const { id: keyId, account, userId, limits } = key
  return {
    principal: {
      accountId: account.accountId,
      userId,
      keyId,
      scopes: new Set(key.scopes),
      ...(key.role === null ? {} : { role: key.role }),
      limits,
      accountSpendPerMonthMicros: lowerLimit(account.spendLimitMicros, spendLimitMicros),
      ...accountChoices(account, keyId),
    },
    readAtMs,
    expiresAtMs: key.expiresAtMs ?? Number.POSITIVE_INFINITY,
    use: useOf(keyId),
  }
}

export function judgeJwt(
  { account, userId, scopes, expiresAtMs }: JwtOutcome,
  { readAtMs, spendLimitMicros }: Circumstances,
): Verdict {
  if (account.disabled) return { refusal: 'ACCOUNT_DISABLED', readAtMs }
  return {
    principal: {
      accountId: account.accountId,
      userId,
      keyId: null,
      scopes: new Set(scopes),
      limits: {},
      accountSpendPerMonthMicros: lowerLimit(account.spendLimitMicros, spendLimitMicros),
      ...accountChoices(account, null),
    },
    readAtMs,
    expiresAtMs,
    use: null,
  }
}

// A clock that was set back must not keep a verdict fresh for longer.
export const isFresh = ({ readAtMs }: Verdict, nowMs: number): boolean =>
  nowMs - readAtMs < trustMs && nowMs >= readAtMs

export function accept(verdict: Verdict, nowMs: number): Principal {
  if ('refusal' in verdict) throw asFailure(verdict.refusal)
  if (nowMs >= verdict.expiresAtMs) throw credentialExpired()
  if (verdict.use !== null) verdict.use.usedAtMs = nowMs
  return verdict.principal
}

const asFailure = (refusal: Refused['refusal']) =>
  refusal === 'ACCOUNT_DISABLED' ? accountDisabled() : invalidCredential('unknown or revoked key')
