import { Failure } from '#core/errors.ts'
import { newNode } from '#core/run-nodes.ts'
import { findRun } from '#store/tables/runs.ts'
import { ifKnown } from '../../etag.ts'
import { answer } from '../../operation.ts'
import { Closed, retryAfterHeader, Uuid } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { economyOf } from './economy.ts'
import { Run } from './run-record.ts'
import { outputsOf, stateOf, summaryWith, waitingFor } from './run-state.ts'
import { nodeHeads, nodeRecord, progressOf } from './show-run.ts'

export const getWorkflowRun = defineOperation({
  id: 'getWorkflowRun',
  route: 'GET /workflow-runs/{runId}',
  summary: 'Read the state of a run',
  scope: 'runs:read',
  params: Closed({ runId: Uuid('Identifier of the run.') }),
  tool: {
    name: 'svc_get_workflow_run',
    reads: 'run',
    description:
      'Read a run. Wait retryAfterSeconds between calls until status is COMPLETED (read outputs), FAILED (read nodeErrors) or CANCELLED. Reading is free and may be repeated.',
  },
  success: { 200: { description: 'The run', data: Run, headers: retryAfterHeader } },
  errors: ['RUN_NOT_FOUND', 'RECORD_NOT_FOUND'],
  async handle(context, { params: { runId } }) {
    const { services, principal } = context
    const row = await findRun(services.db, principal.accountId, runId)
    if (!row) throw new Failure('RUN_NOT_FOUND')
    // Callers act on an end, and an end never changes.
    if (row.completed_at !== null) await services.db.synced()
    const state = await stateOf(context, row)
    const unchanged = ifKnown(context, state.etag)
    if (unchanged) return unchanged
    const summary = summaryWith(row, state)
    const heads = await nodeHeads(context, row)
    const progress = progressOf(row)
    const run = {
      ...summary,
      outputs: await outputsOf(context, row),
      nodes: heads.map((head, i) => nodeRecord(head, progress[i] ?? newNode(), state.taskDelays)),
      ...waitingFor(context, state),
      ...(await economyOf(context, row)),
    }
    return answer(run, {
      headers: { 'Retry-After': String(summary.retryAfterSeconds), ETag: state.etag },
    })
  },
})
