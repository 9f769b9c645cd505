import type { AuditAction } from '#core/audit-actions.ts'
import type { Db } from '#store/db.ts'
import { recording } from '#store/recording.ts'
import type { CallContext } from '../../operation.ts'
import type { Context } from '../context.ts'

/** The database for one change of a workflow, which is then recorded in the audit log. */
export const audited = (
  { services, principal, ipAddress }: Context & Pick<CallContext, 'ipAddress'>,
  action: AuditAction,
  /** Null if nothing was changed. */
  targetOf: (made: unknown) => string | null,
): Db =>
  recording(services.db, (made) => {
    const target = targetOf(made)
    if (target === null) return null
    const { accountId, userId, keyId } = principal
    const at = { nowMs: services.clock.nowMs(), ipAddress: ipAddress ?? null }
    return { accountId, userId, keyId, action, target, ...at }
  })

/** Names a stored workflow in the audit log. */
export const numberAndName = (made: unknown): string | null => {
  const row = made as { id: number; name: string } | undefined
  return row ? `${row.id} ${row.name}` : null
}
