import { lowerLimit } from '#core/budgets.ts'
import { accountChoices, type Principal } from '#core/principal.ts'
import { hasRole, scopesOf } from '#core/roles.ts'
import type { PauseReason } from '#core/triggers/trigger.ts'
import type { Db } from '#store/db.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { findKeyById } from '#store/tables/api-keys.ts'
import { readUser } from '#store/tables/users.ts'
import { judgeKey } from './verdict.ts'

/** Who made something that acts by itself. */
export type Maker = { accountId: string; userId: string | null; keyId: string | null }

export type MakerDeps = { db: Db; spendLimitMicros: number | null }

/**
 * The rights and limits that a maker has now: what they made does nothing that they could not do
 * themselves. A reason instead if they may not start runs any more.
 */
export async function principalOfMaker(
  { db, spendLimitMicros }: MakerDeps,
  { accountId, userId, keyId }: Maker,
  nowMs: number,
): Promise<Principal | PauseReason> {
  if (keyId !== null) {
    const key = await findKeyById(db, accountId, keyId)
    // Not a use of the key: nobody has presented it.
    const unused = () => ({ usedAtMs: 0, writtenAtMs: 0 })
    const verdict = judgeKey(key, unused, { readAtMs: nowMs, spendLimitMicros })
    if ('refusal' in verdict || nowMs >= verdict.expiresAtMs) return 'KEY_REVOKED'
    return verdict.principal.scopes.has('runs:write') ? verdict.principal : 'KEY_REVOKED'
  }
  const [account, user] = await Promise.all([
    readAccount(db, accountId),
    userId === null ? null : readUser(db, userId),
  ])
  const isMember = user?.accountId === accountId && user.removedAtMs === null
  if (!account || account.disabledAtMs !== null) return 'MEMBER_LEFT'
  if (userId !== null && (!isMember || user.disabledAtMs !== null)) return 'MEMBER_LEFT'
  if (user && !hasRole(user.role, 'editor')) return 'MEMBER_LEFT'
  return {
    accountId,
    userId,
    keyId: null,
    scopes: new Set(scopesOf(user?.role ?? 'editor')),
    limits: {},
    accountSpendPerMonthMicros: lowerLimit(account.spendLimitMicros, spendLimitMicros),
    ...accountChoices(account, null),
  }
}
