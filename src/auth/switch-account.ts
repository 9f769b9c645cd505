// Disables or re-enables an account, as requested by somebody on the server's machine.
import type { Tx } from '#store/db.ts'
import { setAccountDisabled } from '#store/tables/accounts.ts'
import { insertAuditEntry } from '#store/tables/audit-entries.ts'
import { findOwner } from './owner-recovery.ts'

export type AccountRequest = { kind: 'account'; accountId: string; isDisabled: boolean }

/**
 * Takes effect within 5 seconds in every process. Returns false if there is no such account, or if
 * it is the one that the server was set up with, which always stays enabled.
 */
export async function switchAccount(
  tx: Tx,
  { accountId, isDisabled }: AccountRequest,
  nowMs: number,
): Promise<boolean> {
  const operator = await findOwner(tx)
  if (!operator || operator.accountId === accountId) return false
  const account = await setAccountDisabled(tx, accountId, isDisabled ? nowMs : null)
  if (!account) return false
  await insertAuditEntry(tx, {
    accountId: operator.accountId,
    nowMs,
    userId: null,
    keyId: null,
    action: 'account.switched',
    target: `${accountId} ${isDisabled ? 'disabled' : 'enabled'}`,
    ipAddress: null,
  })
  return true
}
