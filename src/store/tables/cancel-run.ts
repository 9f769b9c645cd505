import { type RunStatus, statesBefore } from '#core/run-states.ts'
import type { Tx } from '../db.ts'
import { findRun, type RunRow, wholeRun } from './runs.ts'
import { endSleepingRun } from './sleeping-runs.ts'

const words = (statuses: readonly RunStatus[]) => statuses.map((status) => `'${status}'`).join(', ')

export type CancelledRun = { row: RunRow; accepted: boolean; endedNow: boolean }

/**
 * Stores the request, and keeps the first reason. A run that has not begun, or that sleeps, ends in
 * the same transaction. `undefined` if there is no such run.
 */
export async function requestCancel(
  tx: Tx,
  accountId: string,
  id: string,
  { reason, nowMs }: { reason: string | null; nowMs: number },
): Promise<CancelledRun | undefined> {
  // One statement per transition: the row stays locked from the first one on.
  const asked = await wholeRun.write(
    tx,
    `update runs set status = 'CANCEL_REQUESTED', cancel_requested_at = $3, cancel_reason = $4
     where account_id = $1 and id = $2 and status in (${words(statesBefore('CANCEL_REQUESTED'))})
     returning ${wholeRun.columns}`,
    [accountId, id, nowMs, reason === null ? null : JSON.stringify(reason)],
  )
  const [row] = asked.length > 0 ? asked : [await findRun(tx, accountId, id)]
  if (!row) return undefined
  if (row.status === 'CANCEL_REQUESTED' && row.wake_at !== null) {
    return { row: await endSleepingRun(tx, row, nowMs), accepted: true, endedNow: true }
  }
  const isUnbegun = row.status === 'CANCEL_REQUESTED' && row.started_at === null
  if (!isUnbegun) return { row, accepted: row.completed_at === null, endedNow: false }
  const [ended] = await wholeRun.write(
    tx,
    `update runs set status = 'CANCELLED', completed_at = $2
     where id = $1 and status in (${words(statesBefore('CANCELLED'))})
     returning ${wholeRun.columns}`,
    [id, nowMs],
  )
  return { row: ended ?? row, accepted: true, endedNow: ended !== undefined }
}
