// The end of a run, and what readers see of it before.
import { packNodes, savedBy, totalsOf } from '#core/run-nodes.ts'
import type { FinishedRun, RunEnd, RunSnapshot } from '#store/engine-store.ts'
import { StepFailure, unforeseen } from './node-error.ts'
import { renewAtEnd } from './renew-held.ts'
import { spoilUnusable } from './reuse.ts'
import type { RunDeps, RunWork } from './run-deps.ts'

export async function finish(
  deps: RunDeps,
  work: RunWork,
  end: Pick<RunEnd, 'status' | 'ifCancelled' | 'outputs' | 'nodeErrors' | 'inFlight'>,
): Promise<FinishedRun> {
  if (!work.journal) throw new StepFailure(unforeseen)
  if (work.spoiled.length > 0) await spoilUnusable(deps, work)
  if (work.row.slept_epoch > 0) await renewAtEnd(deps, work.row, work.steps.values())
  // Those that are being written yet, the journal looks after.
  if (work.lost) throw work.lost
  return work.journal.finish(
    work.claim,
    {
      ...end,
      nodes: packNodes(work.nodes, work.row.created_at),
      totals: totalsOf(work.nodes),
      costMicros: work.money.spentMicros,
      savedMicros: savedBy(work.nodes),
      isPaid: work.isPaid,
      hasWaits: work.hasWaits,
      nowMs: deps.clock.nowMs(),
    },
    { hasWebhook: work.row.callback_url !== null },
  )
}

export const snapshotOf = (work: RunWork): RunSnapshot => ({
  nodes: packNodes(work.nodes, work.row.created_at),
  totals: totalsOf(work.nodes),
  costMicros: work.money.spentMicros,
})
