import type { SpendUse } from '#core/spend-admission.ts'
import type { Reader } from '#store/db.ts'
import { scopeUse } from '#store/tables/spend-uses.ts'

/** What counts against the monthly limit of an account, or of one of its keys. */
export async function spendUse(
  db: Reader,
  accountId: string,
  { keyId, fromDay }: { keyId: string | null; fromDay: string },
): Promise<SpendUse> {
  const scope = keyId === null ? 'account' : 'key'
  const use = await scopeUse(db, accountId, { scope, target: keyId ?? '' }, Date.parse(fromDay))
  return { spentMicros: use.monthMicros, heldMicros: use.heldMicros }
}
