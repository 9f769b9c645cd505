// Who pays for the calls of a run. A run may last for hours: its next call counts against the limits
// that apply by then, not against those it was accepted under.
import type { RunDeps, RunWork } from './run-deps.ts'

/** Most runs have ended by then. */
const freshMs = 4_000

/** Undefined if there is nothing to wait for. */
export function refreshSpender(
  { clock, spenderNow }: Pick<RunDeps, 'clock' | 'spenderNow'>,
  work: Pick<RunWork, 'row' | 'spender' | 'spenderReadAtMs'>,
): Promise<void> | undefined {
  const nowMs = clock.nowMs()
  if (nowMs >= work.spenderReadAtMs && nowMs - work.spenderReadAtMs < freshMs) return undefined
  const { account_id: accountId, workflow_id: workflowId, spender } = work.row
  return spenderNow(accountId, spender).then((now) => {
    work.spender = { accountId, workflowId, ...now }
    work.spenderReadAtMs = nowMs
  })
}
