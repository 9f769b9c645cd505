import { money } from '#core/money.ts'
import { inlineValue, isReference } from '#core/payload-text.ts'
import type { EndedRun } from '#core/run-webhook.ts'
import type { RunRow } from './runs.ts'

/** What the webhook of a run says, from the row of the run that has just ended. */
export function endedRun(row: RunRow): EndedRun {
  if (row.status !== 'COMPLETED' && row.status !== 'FAILED' && row.status !== 'CANCELLED') {
    throw new Error(`run ${row.id} has not ended`)
  }
  return {
    runId: row.id,
    accountId: row.account_id,
    workflowId: row.workflow_id,
    status: row.status,
    outputs: outputsOf(row),
    nodeErrors: row.node_errors ?? [],
    metadata: row.metadata,
    cost: money(row.cost_micros),
    createdAtMs: row.created_at,
    completedAtMs: row.completed_at ?? row.created_at,
    inFlightTaskMayComplete: row.in_flight === 1,
    callbackUrl: row.callback_url,
  }
}

function outputsOf({ outputs }: RunRow): EndedRun['outputs'] {
  if (outputs === null) return null
  return isReference(outputs)
    ? 'beyond-webhooks'
    : (inlineValue(outputs) as Record<string, unknown>)
}
