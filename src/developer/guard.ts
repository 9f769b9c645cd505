import { Failure } from '#core/errors.ts'
import { type DeveloperContext, type DeveloperOperation, requireRole } from './context.ts'
import { isOperatedBy } from './operator/operator-account.ts'

/**
 * The operation behind its checks: nothing changes for a page of another origin, and nobody does
 * what their role does not allow.
 */
export const guarded = (operation: DeveloperOperation): DeveloperOperation => ({
  ...operation,
  handle(context, input) {
    const { access, method } = operation
    if (method !== 'GET' && !context.isSameOrigin) throw new Failure('ORIGIN_NOT_ALLOWED')
    if (access === 'operator') {
      return requireOperator(context).then(() => operation.handle(context, input))
    }
    if (access !== 'public') requireRole(context, access)
    return operation.handle(context, input)
  },
})

async function requireOperator(context: DeveloperContext): Promise<void> {
  const { accountId } = requireRole(context, 'owner')
  if (await isOperatedBy(context.services.db, accountId)) return
  throw new Failure('INSUFFICIENT_ROLE', {
    message: 'Only owners of the account that this server was set up with may do this.',
  })
}
