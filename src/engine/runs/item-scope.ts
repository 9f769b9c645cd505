// An item of a list that may fail without the others. It winds down by itself: what it has begun is
// awaited and recorded, nothing more of it begins, and the rest of the run goes on.
import type { WorkErrorCode } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'
import type { NodeError } from '#core/run-facts.ts'
import { ItemFailure, NodeFailure, RunLimitFailure } from '#graph/node/node-failure.ts'
import { createCallsUnderWay } from './calls-under-way.ts'
import { StepFailure, toNodeError, unforeseen } from './node-error.ts'
import { type NodeScope, windDown } from './node-scope.ts'
import { isInterruption, NotRecorded } from './recorded-call.ts'
import { createPartHalt } from './run-halt.ts'
import { isUnavailable } from './run-isolated.ts'

export const itemScope = (scope: NodeScope): NodeScope => ({
  ...scope,
  halt: createPartHalt(scope.halt),
  calls: createCallsUnderWay(scope.calls),
})

/** Null if the failure concerns more than the item, and ends the run. */
export async function failItem(own: NodeScope, error: unknown): Promise<ItemFailure | null> {
  if (!isItemError(error)) return null
  windDown(own)
  // They are paid for: the list, and so the run, ends after them.
  await own.calls.ended()
  const known = toNodeError(error)
  if (!known) own.deps.onError(error, own.work.row.id)
  return new ItemFailure(known ?? unforeseen)
}

/** Limits of the run or its account: every further item would meet them too. */
const limits: ReadonlySet<WorkErrorCode> = new Set([
  'COST_LIMIT_REACHED',
  'SPEND_LIMIT_REACHED',
  'UNPRICED_MODEL',
  'QUOTA_EXCEEDED',
  'RUN_TIMEOUT',
])

export const isLimit = ({ code }: Pick<NodeError, 'code'>): boolean => limits.has(code)

function isItemError(error: unknown): boolean {
  // A failure inside a called workflow has that as its cause.
  for (let one = error; one instanceof Error; one = one.cause) {
    if (isInterruption(one) || one instanceof NotRecorded || isUnavailable(one)) return false
    if (one instanceof RunLimitFailure) return false
    if (one instanceof StepFailure && isLimit(one.error)) return false
    if ((one instanceof Failure || one instanceof NodeFailure) && isLimit(one)) return false
  }
  return true
}
