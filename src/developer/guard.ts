import { Failure } from '#core/errors.ts'
import type { OperationInput } from '#operations/operation.ts'
import { recording, wasChanged } from '#store/recording.ts'
import { entryBy } from './audit/audit-entry.ts'
import { type DeveloperContext, type DeveloperOperation, requireRole } from './context.ts'
import { isOperatedBy } from './operator/operator-account.ts'

/** A context that records the change in the audit log, in the same transaction. */
function recorded<C extends DeveloperContext>(
  context: C,
  { audit }: DeveloperOperation,
  input: OperationInput,
): C {
  if (!audit) return context
  const { services } = context
  const entryOf = (made: unknown) =>
    wasChanged(made) ? entryBy(context, audit.action, audit.target(input)) : null
  return { ...context, services: { ...services, db: recording(services.db, entryOf) } }
}

/**
 * The operation with its checks in front: a page of another origin cannot change anything, and
 * callers cannot do what their role does not allow.
 */
export const guarded = (operation: DeveloperOperation): DeveloperOperation => ({
  ...operation,
  handle(context, input) {
    const { access, method } = operation
    if (method !== 'GET' && !context.isSameOrigin) throw new Failure('ORIGIN_NOT_ALLOWED')
    if (access === 'operator') {
      return requireOperator(context).then(() =>
        operation.handle(recorded(context, operation, input), input),
      )
    }
    if (access !== 'public') requireRole(context, access)
    return operation.handle(recorded(context, operation, input), input)
  },
})

async function requireOperator(context: DeveloperContext): Promise<void> {
  const { accountId } = requireRole(context, 'owner')
  if (await isOperatedBy(context.services.db, accountId)) return
  throw new Failure('INSUFFICIENT_ROLE', {
    message: 'Only owners of the account that this server was set up with may do this.',
  })
}
