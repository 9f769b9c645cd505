import type { RunSpender } from '#core/run-facts.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { findKeyById } from '#store/tables/api-keys.ts'
import type { MakerDeps } from './maker.ts'
import { lowerLimit } from './verdict.ts'

/**
 * The limits and prices that apply now to whoever started a run earlier. If their key is gone, they
 * are those it had: a run that was accepted goes on.
 */
export async function spenderNow(
  { db, spendLimitMicros }: MakerDeps,
  accountId: string,
  before: RunSpender,
): Promise<RunSpender> {
  const { keyId } = before
  const key = keyId === null ? null : await findKeyById(db, accountId, keyId)
  const account = key?.account ?? (await readAccount(db, accountId))
  if (!account) return before
  const { standIns, spending } = account
  return {
    keyId,
    limits: key?.limits ?? before.limits,
    accountSpendPerMonthMicros: lowerLimit(account.spendLimitMicros, spendLimitMicros),
    ...(standIns ? { standIns } : {}),
    ...(spending ? { spending } : {}),
  }
}
