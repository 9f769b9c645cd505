import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import { requestCancel } from '#store/tables/cancel-run.ts'
import { endedRun } from '#store/tables/ended-run.ts'
import { answer } from '../../operation.ts'
import { Closed, retryAfterHeader, Uuid } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { Cancellation } from './run-record.ts'
import { mayStillFinish } from './run-state.ts'
import { adviceFor } from './show-run.ts'

export const cancelWorkflowRun = defineOperation({
  id: 'cancelWorkflowRun',
  route: 'POST /workflow-runs/{runId}/cancel',
  summary: 'Ask a run to stop',
  description:
    'No further node is scheduled. Calls already submitted to providers may still finish and be billed; inFlightTaskMayComplete says so.',
  scope: 'runs:write',
  params: Closed({ runId: Uuid('Identifier of the run.') }),
  bodyLimitBytes: 16 * 1024,
  bodyOptional: true,
  body: Closed({ reason: Type.Optional(Type.String({ maxLength: 500 })) }),
  tool: {
    name: 'svc_cancel_workflow_run',
    description:
      'Ask a run to stop. Cooperative: calls already submitted to providers may still finish and be billed. Keep polling svc_get_workflow_run until the status is COMPLETED, FAILED or CANCELLED. The call may be repeated.',
  },
  success: {
    200: { description: 'The cancellation state', data: Cancellation, headers: retryAfterHeader },
  },
  errors: ['RUN_NOT_FOUND'],
  repeatable: true,
  async handle(context, { params: { runId }, body: { reason } }) {
    const { services, principal } = context
    const { db, clock, runs } = services
    const nowMs = clock.nowMs()
    const cancelled = await db.transaction(async (tx) => {
      const done = await requestCancel(tx, principal.accountId, runId, {
        reason: reason ?? null,
        nowMs,
      })
      if (done?.endedNow && done.row.callback_url !== null) {
        await runs.recordRunEnd(tx, endedRun(done.row))
      }
      tx.notify('run-cancels')
      return done
    })
    if (!cancelled) throw new Failure('RUN_NOT_FOUND')
    const { row, accepted } = cancelled
    if (cancelled.endedNow) {
      runs.onEnded(row)
      await runs.renewAtEnd(row)
    }
    const advice = adviceFor(row, nowMs)
    return answer(
      {
        runId: row.id,
        status: row.status,
        accepted,
        cancelRequestedAt:
          row.cancel_requested_at === null ? null : toRfc3339(row.cancel_requested_at),
        cancelReason: row.cancel_reason,
        inFlightTaskMayComplete: await mayStillFinish(context, row),
        retryAfterSeconds: advice,
      },
      { headers: { 'Retry-After': String(advice) } },
    )
  },
})
