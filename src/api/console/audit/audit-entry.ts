import type { AuditAction } from '#core/audit-actions.ts'
import type { AuditEntry } from '#store/tables/audit-entries.ts'
import { type ConsoleContext, requireCaller } from '../context.ts'

/** The entry in the audit log for a change by this caller. */
export function entryBy(context: ConsoleContext, action: AuditAction, target: string): AuditEntry {
  const { accountId, userId, keyId } = requireCaller(context)
  const nowMs = context.services.clock.nowMs()
  return { accountId, userId, keyId, action, target, ipAddress: context.ipAddress, nowMs }
}
