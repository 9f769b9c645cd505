import type { BegunStep } from '#core/step-states.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import type { RunDeps, RunWork } from './run-deps.ts'

export const answerLost = new NodeFailure(
  'HTTP_FAILED',
  'The answer was lost. The request may have been acted on, so it was not repeated.',
)

/**
 * The ledger knows about paid calls, because an attempt is stored there before it is sent. One that
 * is PENDING is settled as lost; if the worker that made it is still alive, it corrects that later.
 */
export async function surelyNotMade(
  deps: RunDeps,
  work: RunWork,
  step: BegunStep,
): Promise<boolean> {
  if (step.kind !== 'TEXT') return false
  const attempts = await deps.ledger.attemptsOf(work.row.id, step.path)
  const open = attempts.filter(({ outcome }) => outcome !== 'REJECTED')
  const lost = open.filter(({ outcome }) => outcome === 'PENDING')
  if (lost.length > 0) await deps.ledger.settleLost(lost, deps.clock.nowMs())
  return open.length === 0
}
