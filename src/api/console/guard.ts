import { Failure, isCallersFault } from '#core/errors.ts'
import { recording, wasChanged } from '#store/recording.ts'
import type { Answer, OperationInput } from '../operation.ts'
import { entryBy } from './audit/audit-entry.ts'
import { type ConsoleContext, type ConsoleOperation, requireRole } from './context.ts'
import { isOperatedBy } from './operator/operator-account.ts'

/** A context that records the change in the audit log, in the same transaction. */
function recorded<C extends ConsoleContext>(
  context: C,
  { audit }: ConsoleOperation,
  input: OperationInput,
): C {
  if (!audit || !('action' in audit)) return context
  const { services } = context
  let described: string | null = null
  const describe = (target: string) => {
    described = target
  }
  const entryOf = (made: unknown) =>
    wasChanged(made) ? entryBy(context, audit.action, described ?? audit.target(input)) : null
  return { ...context, describe, services: { ...services, db: recording(services.db, entryOf) } }
}

/**
 * The operation with its checks in front: a page of another origin cannot change anything, and
 * callers cannot do what their role does not allow.
 */
export const guarded = (operation: ConsoleOperation): ConsoleOperation => ({
  ...operation,
  async handle(context, input) {
    const { access, method } = operation
    if (method !== 'GET' && !context.isSameOrigin) throw new Failure('ORIGIN_NOT_ALLOWED')
    if (access === 'operator') await requireOperator(context)
    else if (access !== 'public') requireRole(context, access)
    try {
      const answer = await operation.handle(recorded(context, operation, input), input)
      if (isServed(answer)) context.uncount?.()
      return answer
    } catch (error) {
      if (!isCallersFault(error)) context.uncount?.()
      throw error
    }
  },
})

/**
 * Whoever opens the sign-in page or signs in is not counted against their address, which an office
 * shares. A redirect without a cookie is a sign-in that failed.
 */
const isServed = ({ status, headers }: Answer): boolean =>
  status === 200 || headers?.['set-cookie'] !== undefined

async function requireOperator(context: ConsoleContext): Promise<void> {
  const { accountId } = requireRole(context, 'owner')
  if (await isOperatedBy(context.services.db, accountId)) return
  throw new Failure('INSUFFICIENT_ROLE', {
    message: 'Only owners of the account that this server was set up with may do this.',
  })
}
