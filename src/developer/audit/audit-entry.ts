import type { AuditAction } from '#core/audit-actions.ts'
import type { AuditEntry } from '#store/tables/audit-entries.ts'
import { type DeveloperContext, requireCaller } from '../context.ts'

/** What the audit log says of a change that this caller makes. */
export function entryBy(
  context: DeveloperContext,
  action: AuditAction,
  target: string | null,
): AuditEntry {
  const { accountId, userId, keyId } = requireCaller(context)
  const nowMs = context.services.clock.nowMs()
  return { accountId, userId, keyId, action, target, ipAddress: context.ipAddress, nowMs }
}
